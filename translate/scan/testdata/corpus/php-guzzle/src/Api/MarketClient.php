<?php

declare(strict_types=1);

namespace Shop\Api;

use GuzzleHttp\Client;

final class MarketClient
{
    private const BASE = 'https://rest.delcampe.net/';
    private const ITEM = 'item/';

    private Client $http;

    public function __construct(private string $apiKey, private ?string $token = null)
    {
        $this->http = new Client(['base_uri' => self::BASE, 'timeout' => 10.0]);
    }

    public function login(): void
    {
        $response = $this->http->post('seller', ['form_params' => ['apikey' => $this->apiKey]]);
        $this->token = (string) simplexml_load_string((string) $response->getBody())->Notification_Data->body->token;
    }

    public function read(int $id): \SimpleXMLElement
    {
        return $this->xml($this->http->get(self::ITEM . $id, ['query' => ['token' => $this->token]]));
    }

    public function close(int $id, string $reason): void
    {
        $this->http->request('DELETE', self::ITEM . $id, [
            'query' => ['token' => $this->token],
            'form_params' => ['reason' => $reason],
        ]);
    }

    public function rate(int $id, int $score, string $comment): void
    {
        $this->http->post("item/{$id}/feedback", ['form_params' => ['feedback' => $score, 'comment' => $comment, 'token' => $this->token]]);
    }

    public function opened(string $order = 'DESC'): \SimpleXMLElement
    {
        $query = http_build_query(['startingItem' => 0, 'numberOfItems' => 50, 'order' => $order, 'token' => $this->token]);
        return $this->xml($this->http->get('item/auction/opened?' . $query));
    }

    public function subscribe(string $type, string $destination): void
    {
        $this->http->request('POST', 'notification/settings', ['form_params' => ['notificationType' => $type, 'destination' => $destination]]);
    }

    public function unsubscribe(int $setting): void
    {
        $this->http->delete('notification/' . $setting);
    }

    public function describe(): string
    {
        return sprintf('client of %s for item %s', self::BASE, 'any');
    }

    private function xml($response): \SimpleXMLElement
    {
        return new \SimpleXMLElement((string) $response->getBody());
    }
}
