<?php

// Gives the client one webhook in each of the forms in which programs have it, and prints what came of each.

declare(strict_types=1);

require __DIR__ . '/Sellerd.php';

set_error_handler(static function (int $level, string $message): bool {
    throw new ErrorException($message); // also for a deprecation
});

$raw = random_bytes(24);
$whole = 'whsec_' . base64_encode($raw);
$text = '{"id":"evt_1","title":"Schwarzer Einser 🖤"}';
$now = time();

$sign = static fn ($timestamp): string => 'v1,' . base64_encode(hash_hmac('sha256', "evt_1.$timestamp.$text", $raw, true));
$headers = static fn ($timestamp): array => ['webhook-id' => 'evt_1', 'webhook-timestamp' => (string) $timestamp, 'webhook-signature' => $sign($timestamp)];
$lower = $headers($now);
$renamed = static fn (callable $rename): array => array_combine(array_map($rename, array_keys($lower)), $lower);
$lists = static fn (array $values): array => array_map(static fn ($value): array => [$value], $values);
$title = static fn (string $name): string => ucwords($name, '-');
$server = static fn (string $name): string => 'HTTP_' . strtoupper(strtr($name, '-', '_'));

/** As a message of PSR-7 has its body. */
final class Stream
{
    private string $text;

    public function __construct(string $text)
    {
        $this->text = $text;
    }

    public function __toString(): string
    {
        return $this->text;
    }
}

$tries = [
    'lower case' => [$lower],
    'as net/http spells' => [$renamed($title)],
    'upper case' => [$renamed('strtoupper')],
    'PSR-7' => [$lists($renamed($title)), new Stream($text)],
    'two signatures in a list' => [['webhook-signature' => ['v1,AAAA', $sign($now)]] + $lower],
    'two signatures in one value' => [['webhook-signature' => 'v1,AAAA ' . $sign($now)] + $lower],
    'an iterator' => [new ArrayIterator($lists($lower))],
    '$_SERVER' => [['argc' => 1, 'argv' => [[]]] + $renamed($server)],
    'WordPress' => [$lists($renamed(static fn (string $name): string => strtr($name, '-', '_')))],
    'lines' => [array_map(static fn ($name): string => $title($name) . ': ' . $lower[$name], array_keys($lower))],
    'blanks around a value' => [array_map(static fn ($value): string => " $value ", $lower)],
    'a number as timestamp' => [['webhook-timestamp' => $now] + $lower],
    'other headers' => [['accept' => null, 7 => 'x'] + $lower],
    'a secret with a line end' => [$lower, $text, "$whole\r\n"],
    'a secret with blanks' => [$lower, $text, " \t$whole "],
    'a secret without its beginning' => [$lower, $text, substr($whole, 6)],
    'a parsed body' => [$lower, json_decode($text, true)],
    'a parsed object' => [$lower, json_decode($text)],
    'no body' => [$lower, null],
    'an unreadable body' => [$lower, false],
    'an empty secret' => [$lower, $text, "\n"],
    'another language' => [$lower, $text, 'whsec_é'],
    'no id' => [array_diff_key($lower, ['webhook-id' => 1])],
    'no signature' => [array_diff_key($lower, ['webhook-signature' => 1])],
    'a timestamp in words' => [['webhook-timestamp' => '2026-11-21T12:00:00Z'] + $lower],
    'a slow clock' => [$headers($now + 900)],
    'a fast clock' => [$headers($now - 900)],
    'another body' => [$lower, "$text "],
];

foreach ($tries as $name => $given) {
    try {
        $body = array_key_exists(1, $given) ? $given[1] : $text;
        echo "$name: " . Sellerd\verifyWebhook($given[2] ?? $whole, $given[0], $body)['title'] . "\n";
    } catch (Sellerd\InvalidSignature $forged) {
        echo "$name: forged: ", preg_replace('~\b(899|900|901)\b~', 'N', $forged->getMessage()), "\n";
    } catch (InvalidArgumentException $misused) {
        echo "$name: misused: {$misused->getMessage()}\n";
    }
}
