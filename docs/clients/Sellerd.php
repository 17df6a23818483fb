<?php

/**
 * A client of the seller API in one file: copy it to your program. It needs PHP 7.4 or later with the extensions curl and json.
 *
 *     require 'Sellerd.php';
 *
 *     $seller = new Sellerd\Client();  // the API key comes from SELLERD_KEY
 *     $account = $seller->get('/v1/account');
 *
 * Paths, parameters and bodies are those of the reference, http://localhost:8080/docs. Methods return the data of an answer as arrays, and
 * throw Sellerd\ApiError for every other outcome. The page http://localhost:8080/docs/clients shows more.
 */

declare(strict_types=1);

namespace Sellerd;

/**
 * A request that did not succeed.
 *
 * $status is the status of the answer, 0 without one. $errorCode is the first code of $errors, for programs; without such an
 * answer it is no_answer (the service could not be reached in time), unexpected_answer (something else answered) or not_finished (a
 * submission is still pending). $errors are the entries of the answer: code, message and, where they apply, field, index, details and
 * docs_url. $requestId finds the request in the service's log.
 */
final class ApiError extends \RuntimeException
{
    public int $status;
    public string $errorCode;
    /** @var array<int, array<string, mixed>> */
    public array $errors;
    public ?string $requestId;

    public function __construct(int $status, array $errors, ?string $requestId = null)
    {
        $this->status = $status;
        $this->errors = $errors;
        $this->errorCode = $errors[0]['code'];
        $this->requestId = $requestId;
        parent::__construct(implode('; ', array_map([self::class, 'inWords'], $errors)) . ($requestId === null ? '' : " (request $requestId)"));
    }

    /** An entry of errors, with the place that it is about. */
    private static function inWords(array $entry): string
    {
        $place = [];
        foreach (['index', 'field'] as $name) {
            if (isset($entry[$name])) {
                $place[] = "$name $entry[$name]";
            }
        }
        return $entry['code'] . ': ' . $entry['message'] . ($place === [] ? '' : ' (' . implode(', ', $place) . ')');
    }

    /** @return array<string, string> the message of each field that has an error */
    public function fields(): array
    {
        return array_column(array_filter($this->errors, static fn (array $e): bool => isset($e['field'])), 'message', 'field');
    }
}

/** A request that is not a webhook of the service, or is too old. */
final class InvalidSignature extends \RuntimeException
{
}

/** An answer of the service that is a success, or 304. */
final class Answer
{
    public int $status;
    /** @var mixed null after 304 */
    public $data;
    /** @var array<string, string> by their names in lower case */
    public array $headers;

    public function __construct(int $status, $data, array $headers)
    {
        $this->status = $status;
        $this->data = $data;
        $this->headers = $headers;
    }

    public function etag(): ?string
    {
        return $this->headers['etag'] ?? null;
    }

    public function requestId(): ?string
    {
        return $this->headers['x-request-id'] ?? null;
    }

    /** The service had done the request before, under the same Idempotency-Key. */
    public function replayed(): bool
    {
        return ($this->headers['idempotent-replayed'] ?? '') === 'true';
    }
}

/** Events of the feed, oldest first, and the cursor of the next page. Store it with the results of your work on the events. */
final class EventPage
{
    /** @var array<int, array<string, mixed>> */
    public array $events;
    public string $cursor;

    public function __construct(array $events, string $cursor)
    {
        $this->events = $events;
        $this->cursor = $cursor;
    }
}

/** Sends requests with one API key. */
final class Client
{
    private const FIRST_PAUSE = 0.5; // seconds between attempts, if the service does not say
    private const LONGEST_PAUSE = 30.0;
    private const FEED_WAIT = 20; // seconds, the most that the service holds a request for events
    private const WAIT_MARGIN = 5; // seconds between the end of that wait and the end of the client's patience
    private const IDLE_PAUSE = 1000000; // microseconds before the feed is asked again, if the service did not wait

    private string $key;
    private string $baseUrl;
    private float $timeout;
    private float $deadline;
    /** @var resource|\CurlHandle */
    private $curl;

    /**
     * $key, without blanks and line breaks around it, and $baseUrl are by default the environment's SELLERD_KEY and SELLERD_BASE_URL. Options are
     * timeout (30), for one attempt, and deadline (60), for a request with all its repetitions, both in seconds. A key is sent only
     * over https, or to this machine; the option allow_plain_http allows http in a network that you trust.
     */
    public function __construct(?string $key = null, ?string $baseUrl = null, array $options = [])
    {
        $this->key = trim($key ?? (getenv('SELLERD_KEY') ?: ''));
        if ($this->key === '') {
            throw new \InvalidArgumentException('there is no API key: pass one, or set SELLERD_KEY');
        }
        if (!preg_match('~^[A-Za-z0-9_]+$~D', $this->key)) {
            throw new \InvalidArgumentException('the API key is malformed: it has only letters, digits and _');
        }
        $this->baseUrl = rtrim($baseUrl ?? (getenv('SELLERD_BASE_URL') ?: 'http://localhost:8080'), '/');
        if (!preg_match('~^(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?(/[^?#\s\\\\]*)?$~iD', $this->baseUrl, $url)) {
            throw new \InvalidArgumentException("$this->baseUrl is not the address of a service, such as https://api.example.com");
        }
        $safe = strtolower($url[1]) === 'https' || preg_match('~^(localhost|127(\.\d{1,3}){3}|\[::1\])$~iD', $url[2]);
        if (!$safe && !($options['allow_plain_http'] ?? false)) {
            throw new \InvalidArgumentException("$this->baseUrl would show the API key to the network: use https");
        }
        $this->timeout = (float) ($options['timeout'] ?? 30);
        $this->deadline = (float) ($options['deadline'] ?? 60);
        $this->curl = curl_init();
    }

    /** Reads an object or one page of a list. @return mixed */
    public function get(string $path, array $query = [])
    {
        return $this->request('GET', $path, null, ['query' => $query])->data;
    }

    /**
     * Creates something or acts. Without an idempotency key each call gets a new one, which its repetitions share.
     *
     * @return mixed
     */
    public function post(string $path, ?array $body = null, ?string $idempotencyKey = null)
    {
        return $this->request('POST', $path, $body, ['idempotency_key' => $idempotencyKey])->data;
    }

    /**
     * Changes the members that the body has; null clears a member. With $ifMatch, the ETag of a read, it changes only that version.
     *
     * @return mixed
     */
    public function patch(string $path, array $body, ?string $ifMatch = null)
    {
        return $this->request('PATCH', $path, $body, ['headers' => $ifMatch === null ? [] : ['If-Match' => $ifMatch]])->data;
    }

    /** Removes an object. @return mixed */
    public function delete(string $path, ?string $ifMatch = null)
    {
        return $this->request('DELETE', $path, null, ['headers' => $ifMatch === null ? [] : ['If-Match' => $ifMatch]])->data;
    }

    /** Walks through a list, from page to page. @return \Generator<int, array<string, mixed>> */
    public function walk(string $path, array $query = []): \Generator
    {
        do {
            $page = $this->get($path, $query);
            foreach ($page['results'] as $result) {
                yield $result;
            }
            $query['after'] = $page['next_cursor'];
        } while ($page['next_cursor'] !== null);
    }

    /**
     * Reads the feed of events, page by page, after a cursor: without one from the oldest event on, and with "latest" only new events.
     *
     * It waits for events for ever; a page without events comes about every 20 seconds, or more often if timeout or deadline is below 25
     * seconds. Without $follow it ends where the feed ends. The ApiError cursor_expired means that the cursor is older than the feed.
     *
     * @return \Generator<int, EventPage>
     */
    public function events(?string $after = null, bool $follow = true, array $query = []): \Generator
    {
        $wait = (int) max(0, min(self::FEED_WAIT, $this->timeout - self::WAIT_MARGIN, $this->deadline - self::WAIT_MARGIN));
        while (true) {
            $began = microtime(true);
            $page = $this->get('/v1/events', ['after' => $after, 'wait' => $follow ? $wait : null] + $query);
            $after = $page['next_cursor'];
            yield new EventPage($page['results'], $after);
            if (!$page['has_more'] && !$follow) {
                return;
            }
            if (!$page['has_more'] && $page['results'] === [] && microtime(true) - $began < 1e-6 * self::IDLE_PAUSE) {
                usleep(self::IDLE_PAUSE);
            }
        }
    }

    /**
     * Waits until a submission is published, and returns it with its item_id. Throws ApiError with the reasons if it is rejected.
     *
     * @return array<string, mixed>
     */
    public function waitForSubmission(string $id, float $deadline = 960): array
    {
        $end = microtime(true) + $deadline;
        for ($pause = 0.25;; $pause = min(2 * $pause, 5)) {
            $answer = $this->request('GET', '/v1/item-submissions/' . rawurlencode($id));
            if ($answer->data['status'] === 'published') {
                return $answer->data;
            }
            if ($answer->data['status'] === 'rejected') {
                $reasons = $answer->data['errors'] ?: [['code' => 'rejected', 'message' => 'The item was rejected.']];
                throw new ApiError($answer->status, $reasons, $answer->requestId());
            }
            if (microtime(true) + $pause > $end) {
                throw new ApiError($answer->status, [['code' => 'not_finished', 'message' => "The submission $id is still pending."]], $answer->requestId());
            }
            usleep((int) (1e6 * $pause));
        }
    }

    /**
     * Replaces the client's key, and returns the new one: store it, and make a client with it. Both are valid for the overlap, in seconds.
     */
    public function rotateKey(int $overlap = 86400): string
    {
        do { // if an answer was lost, a repetition does not show the key: one that nobody has used is replaced
            $made = $this->post('/v1/account/keys/current/rotate', ['overlap_seconds' => $overlap]);
        } while ($made['key'] === null);
        return $made['key'];
    }

    /**
     * Sends a request until there is a final answer, and returns it with its headers. Options are query, headers and idempotency_key.
     *
     * It is repeated when no answer arrives, on 429, on 500 and above except 501 and 505, and while the same Idempotency-Key is in
     * progress, after the seconds of Retry-After and a random part of a second. A PATCH that rotates a secret is repeated only on 429.
     */
    public function request(string $method, string $path, ?array $body = null, array $options = []): Answer
    {
        if (($path[0] ?? '') !== '/') {
            throw new \InvalidArgumentException("the path $path does not begin with /");
        }
        $query = self::query($options['query'] ?? []);
        $url = $this->baseUrl . $path . ($query === '' ? '' : (strpos($path, '?') === false ? '?' : '&') . $query);
        $headers = ['x-api-key' => $this->key] + array_change_key_case($options['headers'] ?? []) + ['accept' => 'application/json'];
        if ($method === 'POST') {
            $key = (string) ($headers['idempotency-key'] ?? $options['idempotency_key'] ?? bin2hex(random_bytes(16)));
            if (trim($key) === '' || $key !== (string) ($options['idempotency_key'] ?? $key)) {
                throw new \InvalidArgumentException('the Idempotency-Key is empty, or there are two different ones');
            }
            $headers['idempotency-key'] = $key;
        }
        $text = '';
        if ($body !== null) {
            $headers['content-type'] = 'application/json';
            $text = $body === [] ? '{}' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION);
        }
        $repeatable = !($body['rotate_secret'] ?? false);
        $end = microtime(true) + $this->deadline;
        for ($pause = self::FIRST_PAUSE;;) {
            [$status, $received, $answer, $lost] = $this->attempt($method, $url, $headers, $text, min($this->timeout, $end - microtime(true)));
            $result = $this->result($status, $received, $answer, $lost);
            if ($result instanceof Answer) {
                return $result;
            }
            $passing = $status === 0 || ($status >= 500 && !in_array($status, [501, 505], true)) || $result->errorCode === 'idempotency_key_in_progress';
            $wait = self::seconds($received['retry-after'] ?? '');
            if ($wait !== null) {
                $wait += mt_rand() / mt_getrandmax();
            } else {
                $wait = $pause * (0.5 + mt_rand() / mt_getrandmax());
                $pause = min(2 * $pause, self::LONGEST_PAUSE);
            }
            if (!($status === 429 || ($passing && $repeatable)) || microtime(true) + $wait > $end) {
                throw $result;
            }
            usleep((int) (1e6 * $wait));
        }
    }

    /** Sends a request once. Returns the status, the headers, the body and, if the answer was incomplete, the reason. */
    private function attempt(string $method, string $url, array $headers, string $body, float $timeout): array
    {
        $received = [];
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        curl_reset($this->curl); // keeps the connection
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url, CURLOPT_CUSTOMREQUEST => $method, CURLOPT_HTTPHEADER => $lines, CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false, // the key must not go to another host
            CURLOPT_ENCODING => '', // answers may be compressed as this curl can unpack them
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS, CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => (int) max(1, 1000 * $timeout),
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower($parts[0])] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if (strncasecmp($url, 'http:', 5) === 0) {
            curl_setopt($this->curl, CURLOPT_NOPROXY, '*'); // a proxy would read the key
        }
        if ($body !== '' || $method === 'POST') {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $body);
        }
        $answer = curl_exec($this->curl);
        if ($answer === false) {
            return [0, [], '', curl_error($this->curl)];
        }
        return [curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $received, $answer, ''];
    }

    /** @return Answer|ApiError */
    private function result(int $status, array $headers, string $text, string $lost)
    {
        if ($status === 0) {
            return new ApiError(0, [['code' => 'no_answer', 'message' => "No answer from $this->baseUrl: $lost"]]);
        }
        if ($status === 304) {
            return new Answer($status, null, $headers);
        }
        $envelope = json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($envelope) && array_key_exists('data', $envelope)) {
            return new Answer($status, $envelope['data'], $headers);
        }
        $errors = is_array($envelope) ? $envelope['errors'] ?? [] : [];
        if (!isset($errors[0]['code'], $errors[0]['message'])) {
            $errors = [['code' => 'unexpected_answer', 'message' => "$this->baseUrl answered $status, and not as the seller API does."]];
        }
        return new ApiError($status, $errors, $headers['x-request-id'] ?? null);
    }

    private static function query(array $values): string
    {
        $parts = [];
        foreach ($values as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if (is_bool($one)) {
                    $one = $one ? 'true' : 'false';
                } elseif ($one instanceof \DateTimeInterface) {
                    $one = $one->format('Y-m-d\TH:i:s.uP');
                }
                if ($one !== null) {
                    $parts[] = rawurlencode($name) . '=' . rawurlencode((string) $one);
                }
            }
        }
        return implode('&', $parts);
    }

    /** The value of Retry-After: seconds, or a date. */
    private static function seconds(string $text): ?float
    {
        if (ctype_digit($text)) {
            return (float) $text;
        }
        $at = $text === '' ? false : strtotime($text);
        return $at === false ? null : max(0.0, $at - microtime(true));
    }
}

/**
 * Returns the event of a webhook's request, or throws InvalidSignature.
 *
 * The request must have been signed with the secret (whsec_…) at most $tolerance seconds ago. $headers has names in any case and lists of values
 * or single ones: those of getallheaders(), of $_SERVER, or of a message of PSR-7. $body is the text that arrived, unchanged, such as
 * file_get_contents('php://input'), or a stream of PSR-7.
 *
 * @param iterable<mixed> $headers
 * @param string|object $body
 * @return array<string, mixed>
 */
function verifyWebhook(string $secret, iterable $headers, $body, int $tolerance = 300): array
{
    if (!is_string($body) && !(is_object($body) && method_exists($body, '__toString'))) {
        throw new \InvalidArgumentException('pass the raw body, the text or the bytes that arrived: something has parsed or consumed this one');
    }
    $body = (string) $body;
    $secret = trim($secret);
    $key = base64_decode(strncmp($secret, 'whsec_', 6) === 0 ? substr($secret, 6) : $secret, true);
    if ($key === false || $key === '') {
        throw new \InvalidArgumentException('the secret is missing or malformed: it is whsec_ and base64');
    }
    [$id, $timestamp, $signatures] = webhookHeaders($headers);
    if (!ctype_digit($timestamp) || strlen($timestamp) > 11) {
        throw new InvalidSignature('webhook-timestamp is not a time in Unix seconds');
    }
    $ahead = (int) $timestamp - time();
    if (abs($ahead) > $tolerance) {
        $apart = 'webhook-timestamp is ' . abs($ahead) . ' seconds ' . ($ahead > 0 ? 'ahead of' : 'behind') . ' the clock of this machine';
        throw new InvalidSignature("$apart, more than $tolerance: set the clock" . ($ahead > 0 ? '' : ', unless somebody repeats an old request'));
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($want, $signature)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new InvalidSignature("no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte");
}

/**
 * The id, the time and the signatures of a webhook, whatever the form of its headers.
 *
 * @return array<int, string>
 */
function webhookHeaders(iterable $headers): array
{
    $found = ['webhook-id' => [], 'webhook-timestamp' => [], 'webhook-signature' => []];
    foreach ($headers as $name => $value) {
        if (is_int($name) && is_string($value)) {
            [$name, $value] = explode(':', $value, 2) + [1 => null];
        }
        $name = preg_replace('~^http-~', '', strtr(strtolower((string) $name), '_', '-')); // $_SERVER: HTTP_WEBHOOK_ID
        if (isset($found[$name])) {
            array_push($found[$name], ...array_values((array) $value));
        }
    }
    $texts = [];
    foreach ($found as $name => $values) {
        $texts[] = $text = trim(implode(' ', $values));
        if ($text === '') {
            throw new InvalidSignature("the header $name is missing");
        }
    }
    return $texts;
}
