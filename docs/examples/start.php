<?php

// The page Start in PHP, http://localhost:8080/docs/start. Copy http://localhost:8080/docs/clients/Sellerd.php beside this file, then:
//
//     SELLERD_KEY=dk_test_… php start.php

// 1. Your key
require 'Sellerd.php';

$seller = new Sellerd\Client(); // with the key in SELLERD_KEY
echo $seller->get('/v1/account')['nickname'], "\n";

// 2. List an item
$submission = $seller->post('/v1/items', [
    'title' => 'Belgium 1849, 10c brown Epaulette',
    'category_id' => '1010101',
    'sale_type' => 'fixed_price',
    'price' => ['amount' => '45.00', 'currency' => 'EUR'],
    'personal_reference' => 'START-1',
    'images' => ['https://outcome.test/ready.jpg'],
]);

// 3. Wait for its publication
$item = $seller->waitForSubmission($submission['id'])['item_id'];
echo $seller->get("/v1/items/$item")['status'], "\n";

// 4. Sell it
$bill = $seller->post("/v1/test/items/$item/purchase")['bill_id'];
echo $seller->post("/v1/test/bills/$bill/invoice")['status'], "\n";
echo $seller->post("/v1/test/bills/$bill/pay")['status'], "\n";

// 5. Read the sale
$sale = $seller->get('/v1/sales', ['item_id' => $item])['results'][0];
$total = $seller->get("/v1/bills/$bill")['total'];
echo $sale['buyer']['nickname'], ' ', $total['amount'], "\n";

// 6. Ship it
$parcel = ['delivery_service_id' => '142', 'number' => 'RR123456785BE'];
echo $seller->post("/v1/bills/$bill/trackings", $parcel)['number'], "\n";
echo $seller->post("/v1/bills/$bill/mark-sent")['status'], "\n";
