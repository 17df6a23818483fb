<?php
// other system in the same shop
$config = require 'config.php';
function magento($path)
{
    $ch = curl_init('https://shop.example.org/rest' . $path);
    curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
    return curl_exec($ch);
}
$products = magento('/V1/products');
$item = magento('/item/44');
$erp = file_get_contents("https://erp.example.org/rest/item/$id");
