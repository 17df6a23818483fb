<?php
// A program of the old days, as a shop could have written it from the public examples of the interface: curl for the
// calls, SimpleXML for the answers. Usage: php program.php BASE KEY register|categories|list|read ITEM|sold ITEM. It
// prints what it has read as JSON. Nothing in it knows of /v1.

list(, $base, $apiKey, $act) = $argv;
$item = isset($argv[4]) ? $argv[4] : '';

$xml = call('POST', '/seller', array('apikey' => $apiKey));
$token = (string) $xml->Notification_Data->body->token;

switch ($act) {
case 'register':
    $setting = array('notificationType' => 'Curl_Default', 'destination' => 'http://www.mysite.net/feedback_api.php?token=bob');
    call('POST', '/notification/settings', $setting);
    $first = settings();
    call('PUT', '/notification/' . $first[0]['id_notification']);
    $off = settings();
    call('POST', '/notification/settings', $setting); // set anew, as the documentation advises
    echo json_encode(array('first' => $first, 'off' => $off, 'anew' => settings()));
    break;
case 'categories': // from the parent of the roots down to a category that items can be in
    $steps = array();
    for ($idParent = 0; ; $idParent = (int) $category->id) {
        $category = call('GET', '/category?lang=E&idParent=' . $idParent)->Notification_Data->body->category[0];
        $steps[] = array((int) $category->id_parent === $idParent, (string) $category->name);
        if (!(int) $category->child) {
            break;
        }
    }
    echo json_encode(array('steps' => $steps, 'selectable' => (string) $category->selectable));
    break;
case 'list':
    foreach (array('A-1', 'A-2') as $reference) {
        $answer = call('POST', '/item', listing($reference));
        $status[] = (string) $answer->Notification_Data->body->status;
    }
    echo json_encode($status);
    break;
case 'read':
    $read = (array) call('GET', '/item/' . $item)->Notification_Data->body->item;
    $same = array();
    foreach (listing('A-1') as $name => $value) {
        if ($name != 'images') {
            $same[$name] = isset($read[$name]) ? (string) $read[$name] : null;
        }
    }
    echo json_encode(array('sent' => array_diff_key(listing('A-1'), array('images' => 1)), 'read' => $same));
    break;
case 'sold':
    $sold = array();
    foreach (call('GET', '/item/auction/sold?startingItem=0&numberOfItems=100')->Notification_Data->body->item as $one) {
        $sold[] = (string) $one->id_item;
    }
    $buyer = call('GET', '/item/' . $item . '/buyer')->Notification_Data->body->buyer;
    echo json_encode(array('sold' => $sold, 'buyer' => (string) $buyer->buyer_nickname));
    break;
}

function listing($reference)
{
    return array(
        'id_country' => '0', 'id_category' => '1010101', 'title' => 'My title', 'personal_reference' => $reference,
        'description' => 'My description', 'price_starting' => '1.00', 'currency' => 'EUR', 'duration' => '7', 'renew' => '2',
        'prefered_end_day' => 'mon', 'prefered_end_hour' => '15:00', 'option_boldtitle' => '1',
        'images' => array('http://www.mypictures.com/stamp-01.png', 'http://www.mypictures.com/stamp-02.png'),
    );
}

function settings()
{
    $settings = array();
    foreach (call('GET', '/notification/settings')->Notification_Data->body->notification_settings as $one) {
        $settings[] = array_map('strval', (array) $one);
    }
    return $settings;
}

function call($method, $path, $fields = array())
{
    global $base, $token;
    if ($token) {
        $path .= (strpos($path, '?') === false ? '?' : '&') . 'token=' . $token;
    }
    $curl = curl_init($base . '/rest' . $path);
    curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
    curl_setopt($curl, CURLOPT_CUSTOMREQUEST, $method);
    if ($fields) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($fields));
    }
    $body = curl_exec($curl);
    $answer = simplexml_load_string($body);
    if ($answer === false || (string) $answer->Notification_Data->headers->status >= '300') {
        fwrite(STDERR, "$method $path: $body\n");
        exit(1);
    }
    return $answer;
}
