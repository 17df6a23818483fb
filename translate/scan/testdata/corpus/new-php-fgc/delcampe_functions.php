<?php
// procedural, PHP 5.2
$dc_server = "https://rest.delcampe.net";
$dc_actions = array(
	"login"   => array("POST", "/seller"),
	"restart" => array("POST", "/item/%s/restart"),
	"cats"    => array("GET", "/category?language=%s&showOnlyLeaves=1"),
);

function dc_http($method, $url, $fields = array()) {
	$opts = array('http' => array(
		'method'  => $method,
		'header'  => "Content-type: application/x-www-form-urlencoded\r\n",
		'content' => http_build_query($fields),
	));
	$xml = @file_get_contents($url, false, stream_context_create($opts));
	if (!$xml) die("no answer from $url");
	return simplexml_load_string($xml);
}

function dc_login($key) {
	global $dc_server;
	$x = dc_http("POST", $dc_server . "/rest/seller", array("apikey" => $key));
	return $x->Notification_Data->body->token;
}

function dc_close($token, $id, $reason = "IncorrectItem") {
	global $dc_server;
	return dc_http("DELETE", "$dc_server/rest/item/$id?token=$token", array("reason" => $reason));
}

function dc_list($token, $what = "opened") {
	return dc_http("GET", $GLOBALS['dc_server'] . "/rest/item/fixedprice/" . $what . "?token=" . $token);
}

function dc_bulk($token, $items) {
	global $dc_server;
	$ch = curl_init("$dc_server/rest/items?token=$token");
	curl_setopt_array($ch, array(CURLOPT_POST => 1, CURLOPT_POSTFIELDS => http_build_query(array('items' => $items)), CURLOPT_RETURNTRANSFER => 1));
	$r = curl_exec($ch);
	curl_close($ch);
	return $r;
}
if ($_SERVER['REQUEST_URI'] == '/item/fixedprice/sold') { include 'sold.html'; }
?>
<html><body><a href="/item/123">item</a> <form action="/item" method="post"></form></body></html>
