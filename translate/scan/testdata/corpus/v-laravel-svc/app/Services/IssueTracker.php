<?php

namespace App\Services;

use Illuminate\Support\Facades\Http;

final class IssueTracker
{
    private function client()
    {
        return Http::baseUrl(config('services.jira.url'))->withToken(config('services.jira.token'));
    }

    public function item(int $id) { return $this->client()->get("/item/{$id}"); }

    public function category() { return $this->client()->get('/category'); }
}
