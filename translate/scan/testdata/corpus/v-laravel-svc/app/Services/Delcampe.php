<?php

declare(strict_types=1);

namespace App\Services;

use Illuminate\Http\Client\PendingRequest;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Http;

final class Delcampe
{
    public function __construct(private readonly array $config) {}

    private function http(): PendingRequest
    {
        return Http::baseUrl($this->config['url'])->asForm()->retry(3, 200)->withQueryParameters(['token' => $this->token()]);
    }

    private function token(): string
    {
        return Cache::remember('delcampe.token', 1500, fn () => (string) simplexml_load_string(
            Http::asForm()->post($this->config['url'] . '/seller', ['apikey' => $this->config['key']])->body()
        )->Notification_Data->body->token);
    }

    public function feedback(int $id, string $comment): bool
    {
        return $this->http()->post("/item/{$id}/feedback", ['comment' => $comment, 'feedback' => 'positive'])->successful();
    }

    public function types(): array
    {
        return $this->parse($this->http()->get('/notification/types'));
    }

    public function unsubscribe(int $id): void
    {
        $this->http()->delete('/notification/' . $id)->throw();
    }

    public function rename(int $id, string $title): void
    {
        $this->http()->send('PUT', "item/$id", ['form_params' => ['item[title]' => $title]]);
    }

    public function byReference(string $ref)
    {
        return $this->http()->get('item/reference/{ref}', ['ref' => $ref]);
    }
}
