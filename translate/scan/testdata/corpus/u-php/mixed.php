<?php
/** Sells on Delcampe and on our Magento. */
$magento = new Client(['base_uri' => 'https://shop.example.org/rest/']);
$delcampe = new Client(['base_uri' => 'https://rest.delcampe.net/']);
$magento->get('item/12');
$magento->delete("item/$id");
$delcampe->get('item/12');
$delcampe->request('DELETE', "item/$id");
$jira = 'https://jira.example.com/rest/item/';
file_get_contents($jira . $id);
$url = <<<URL
https://rest.delcampe.net/item/auction/sold?token=$token
URL;
file_get_contents($url);
$sql = "SELECT * FROM item WHERE path = '/item/1'";
$regex = '#^/item/(\d+)$#';
if (preg_match('~/item/(\d+)~', $uri, $m)) { show($m[1]); }
