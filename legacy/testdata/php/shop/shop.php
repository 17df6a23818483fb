<?php
// A shop of the old days. Its address stands in settings.ini, its key in the environment. It prints what it gets as JSON:
// php shop.php list REFERENCE PIECES | find REFERENCE | sold START | rate ITEM | close ITEM

require 'Marketplace.php';

$settings = parse_ini_file(__DIR__ . '/settings.ini');
$marketplace = new Marketplace($settings['base_address'], getenv('SHOP_KEY'));

switch ($argv[1]) {
case 'list':
    $out = $marketplace->listLot(array(
        'title' => 'Lettre 1849', 'id_category' => '1010101', 'personal_reference' => $argv[2],
        'fixed_price' => '2.50', 'currency' => 'EUR', 'qty' => $argv[3],
    ));
    break;
case 'find':
    $out = $marketplace->find($argv[2]);
    break;
case 'sold':
    $out = $marketplace->sold((int) $argv[2], 100);
    break;
case 'rate':
    $out = $marketplace->rateBuyer($argv[2], 100, 'Fast payment');
    break;
case 'close':
    $out = $marketplace->close($argv[2], 'NotAvailableItem');
    break;
}
echo json_encode($out);
