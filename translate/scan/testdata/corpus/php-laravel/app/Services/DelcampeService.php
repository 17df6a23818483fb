<?php

namespace App\Services;

use Illuminate\Support\Facades\Http;

class DelcampeService
{
    protected string $base;

    public function __construct()
    {
        $this->base = config('services.delcampe.url');
    }

    public function item(string $id)
    {
        return Http::withQueryParameters(['token' => $this->token()])->get("{$this->base}/rest/item/{$id}");
    }

    public function create(array $data)
    {
        return Http::asForm()->post($this->base . '/rest/item', $data);
    }

    public function bulk(array $items)
    {
        return Http::asForm()->post($this->base . '/rest/items', ['items' => $items]);
    }

    public function time()
    {
        return Http::get($this->base . '/rest/server/time')->body();
    }

    private function token()
    {
        return cache()->remember('delcampe', 1700, fn () => (string) simplexml_load_string(
            Http::asForm()->post($this->base . '/rest/seller', ['apikey' => config('services.delcampe.key')])->body()
        )->Notification_Data->body->token);
    }
}
