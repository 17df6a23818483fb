<?php
require_once dirname(__FILE__) . '/../lib/DelcampeConnector.php';
$ini = parse_ini_file(dirname(__FILE__) . '/../shop.ini', true);
$d = new DelcampeConnector($ini['delcampe']['url'], $ini['delcampe']['key']);
foreach ($d->soldItems() as $s) {
    mysql_query("UPDATE stock SET sold=1 WHERE ref='" . mysql_real_escape_string($s->personal_reference) . "'");
    echo 'see /item/' . $s->id_item . "/buyer\n";
}
