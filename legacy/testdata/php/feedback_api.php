<?php
// Where the old program gets its notifications: it parses each and keeps its fields, one line of JSON a notification.

$notification = simplexml_load_string($_POST['delcampeNotification']);
$fields = array('type' => (string) $notification->Notification_Type, 'token' => (string) $notification->Notification_Token);
foreach ($notification->Notification_Data->children() as $name => $value) {
    $fields['data'][] = array($name, (string) $value);
}
file_put_contents(getenv('NOTIFICATIONS'), json_encode($fields) . "\n", FILE_APPEND | LOCK_EX);
