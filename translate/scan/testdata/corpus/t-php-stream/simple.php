<?php
$base = 'http://rest.delcampe.net/';
$token = $_SESSION['delcampe'];
$opts = array('http' => array('method' => 'PUT', 'content' => http_build_query(array('title' => $title, 'fixed_price' => $price))));
$ctx = stream_context_create($opts);
$answer = file_get_contents($base . 'item/' . $id . '?token=' . $token, false, $ctx);
$xml = simplexml_load_file("{$base}item/closeReasons");
$doc = new DOMDocument();
$doc->load($base . 'item/fields/auction');
if (!$xml) { trigger_error("no answer from {$base}item/closeReasons"); }
echo "<a href='/item/$id'>item</a>";
?>
<form action="/item" method="post"></form>
