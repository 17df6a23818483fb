<?php

// SPDX-License-Identifier: MIT-0
//
// A receiver of webhooks in one file. It needs PHP 8.1 and no extension. The web server stores each event once, and answers:
//
//     WEBHOOK_SECRET=whsec_… EVENTS=events php -S 127.0.0.1:3000 receiver.php
//
// That is the server of PHP for trying; use php-fpm in production. A second process, for example from cron each minute, processes what has arrived:
//
//     EVENTS=events php receiver.php

// 1. Settings, and what your shop does
const TOLERANCE = 300; // seconds that a timestamp may be off
const KEPT = 35 * 24 * 3600; // seconds that the service may take to send an event again

/** What your shop does with an event. It can be called again for the same event if the process was killed within it. */
function handle(array $event): void
{
    echo "{$event['type']} {$event['resource']['id']}\n";
}

$folder = getenv('EVENTS') ?: 'events';
if (!is_dir($folder)) {
    mkdir($folder, 0700, true);
}
if (PHP_SAPI === 'cli') {
    process($folder);
} else {
    http_response_code(receive($folder, trim(getenv('WEBHOOK_SECRET')), file_get_contents('php://input')));
}

// 2. Check, store, answer
/** The status of the answer. */
function receive(string $folder, string $secret, string $body): int
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    if (!isSigned($secret, $id, $body)) {
        return 401;
    }
    return store("$folder/" . hash('sha256', $id), $body) ? 204 : 500;
}

/** Whether the service signed these bytes in the last five minutes. */
function isSigned(string $secret, string $id, string $body): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new RuntimeException('WEBHOOK_SECRET is missing or malformed');
    }
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE) {
        return false;
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''); // two in a rotation
    foreach ($signatures as $signature) {
        if (hash_equals($want, $signature)) {
            return true;
        }
    }
    return false;
}

/** Stores an event once. False if that fails: then the service sends it again. */
function store(string $path, string $body): bool
{
    $draft = "$path." . bin2hex(random_bytes(8));
    $file = fopen($draft, 'x');
    $written = $file && fwrite($file, $body) === strlen($body) && fsync($file);
    // link() fails if the event is there already, whole.
    $stored = $written && (@link($draft, "$path.json") || file_exists("$path.json"));
    @unlink($draft);
    return $stored;
}

// 3. Process what is stored
/** Handles each stored event that is not marked as done, in the order in which they happened, and forgets old ones. */
function process(string $folder): void
{
    $lock = fopen("$folder/lock", 'c');
    if (!flock($lock, LOCK_EX | LOCK_NB)) {
        return; // another process is at work
    }
    $events = [];
    foreach (glob("$folder/*.json") as $file) {
        $done = substr($file, 0, -5) . '.done';
        if (!file_exists($done)) {
            $events[$done] = json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
        } elseif (filemtime($done) < time() - KEPT) {
            unlink($file);
            unlink($done);
        }
    }
    $order = fn (array $event) => [$event['created_at'], $event['resource']['sequence']];
    uasort($events, fn ($a, $b) => $order($a) <=> $order($b));
    foreach ($events as $done => $event) {
        handle($event);
        touch($done);
    }
}
