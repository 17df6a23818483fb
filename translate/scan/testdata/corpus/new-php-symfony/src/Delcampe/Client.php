<?php
namespace App\Delcampe;

use Symfony\Contracts\HttpClient\HttpClientInterface;

class Client
{
    public function __construct(private HttpClientInterface $delcampeClient, private string $token) {}

    public function open(string $type, int $offset = 0): string
    {
        return $this->delcampeClient->request('GET', '/rest/item/auction/opened', [
            'query' => ['token' => $this->token, 'startingItem' => $offset, 'numberOfItems' => 100],
        ])->getContent();
    }

    public function reserve(int $id, string $price): void
    {
        $this->delcampeClient->request('PUT', '/rest/item/'.$id, ['body' => ['price_reserve' => $price]]);
    }

    public function end(int $id): bool
    {
        $r = $this->delcampeClient->request('DELETE', \sprintf('/rest/item/%s?token=%s', $id, $this->token), ['body' => 'reason=TestItem']);
        return 200 === $r->getStatusCode();
    }
}
