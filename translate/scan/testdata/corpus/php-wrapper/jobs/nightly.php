<?php
require __DIR__ . '/../lib/Http.php';

$http = new Http(require __DIR__ . '/../config.php');
$sold = $http->get('/item/auction/sold', ['startingItem' => 0, 'numberOfItems' => 1000]);
foreach (simplexml_load_string($sold)->Notification_Data->body->item as $item) {
    $buyer = $http->get('/item/' . $item->id_item . '/buyer');
    $http->post('/item/' . $item->id_item . '/feedback', ['feedback' => 100, 'comment' => 'Merci']);
    $http->call('PUT', '/item/' . $item->id_item, ['qty' => 3]);
    $http->call('DELETE', "/item/{$item->id_item}", ['reason' => 'TestItem']);
    echo "closed /item/{$item->id_item}\n";
}
$types = $http->get('notification/types');
$http->post('/notification/test', ['notificationType' => 'Curl_Default']);
$params = new ArrayObject();
$params->get('category');
