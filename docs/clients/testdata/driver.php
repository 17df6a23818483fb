<?php

// Does with the client what its arguments say, and prints what came of it: clients_test.go compares the lines of all languages.

declare(strict_types=1);

require __DIR__ . '/Sellerd.php';

set_error_handler(static function (int $level, string $message): bool {
    throw new ErrorException($message); // also for a deprecation
});

function client(?string $baseUrl = null): Sellerd\Client
{
    $options = ['timeout' => getenv('TIMEOUT') ?: 5, 'deadline' => getenv('DEADLINE') ?: 20, 'allow_plain_http' => getenv('ALLOW_PLAIN_HTTP')];
    return new Sellerd\Client(null, $baseUrl, $options);
}

function call(string $method, string $path, string $body = '', string $key = '', string $header = '', string $value = ''): void
{
    $options = ['idempotency_key' => $key === 'empty' ? '' : ($key ?: null), 'headers' => $header === '' ? [] : [$header => $value]];
    $answer = client()->request($method, $path, $body === '' ? null : json_decode($body, true), $options);
    echo $answer->status, ' ', json_encode($answer->data), ' ', $answer->etag() ?? '-', ' ', $answer->replayed() ? 'replayed' : 'first', "\n";
}

function message(string ...$args): void
{
    try {
        call(...$args);
    } catch (Sellerd\ApiError $e) {
        echo $e->getMessage(), "\n";
    }
}

function walk(): void
{
    foreach (client()->walk('/v1/items', ['status' => ['open', 'scheduled'], 'has_bids' => false, 'title' => 'A & B', 'sort' => null, 'after' => null]) as $item) {
        echo $item['id'], "\n";
    }
}

function events(string $after, string $follow, string $pages): void
{
    foreach (client()->events($after ?: null, $follow === 'follow', ['type' => 'item.*']) as $page) {
        echo implode(' ', array_merge([$page->cursor], array_column($page->events, 'id'))), "\n";
        if (--$pages === 0) {
            return;
        }
    }
}

function wait(string $submission): void
{
    echo client()->waitForSubmission($submission)['item_id'], "\n";
}

function rotate(string $overlap): void
{
    echo client()->rotateKey((int) $overlap), "\n";
}

function addresses(string ...$urls): void
{
    foreach ($urls as $url) {
        try {
            client($url);
            echo "taken $url\n";
        } catch (InvalidArgumentException $e) {
            echo "refused $url\n";
        }
    }
}

try {
    $argv[1](...array_slice($argv, 2));
} catch (Sellerd\ApiError $e) {
    $fields = $e->fields();
    ksort($fields);
    echo 'error ', $e->status, ' ', $e->errorCode, ' ', $e->requestId ?? '-', ' ', json_encode((object) $fields), "\n";
} catch (InvalidArgumentException $e) {
    fwrite(STDERR, $e . "\n");
    echo 'refused ', $e->getMessage(), "\n";
}
