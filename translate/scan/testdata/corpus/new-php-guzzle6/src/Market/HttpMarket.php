<?php
declare(strict_types=1);

namespace Shop\Market;

use GuzzleHttp\Client;
use Psr\Log\LoggerInterface;

final class HttpMarket implements Market
{
    private const PREFIX = '/rest';

    /** @var Client */
    private $guzzle;
    private LoggerInterface $logger;
    private ?string $token = null;

    public function __construct(array $config, LoggerInterface $logger)
    {
        $this->guzzle = new Client(['base_uri' => $config['delcampe_uri'] ?? 'https://rest.delcampe.net', 'timeout' => 15.0]);
        $this->logger = $logger;
    }

    public function authenticate(string $key): void
    {
        $response = $this->guzzle->request('POST', self::PREFIX . '/seller', ['form_params' => ['apikey' => $key]]);
        $this->token = (string) (new \SimpleXMLElement((string) $response->getBody()))->Notification_Data->body->token;
    }

    public function shippingModels(): array
    {
        $response = $this->guzzle->get(self::PREFIX . '/shippingModels', ['query' => ['token' => $this->token]]);
        return $this->decode($response);
    }

    public function delist(int $id): void
    {
        $uri = sprintf('%s/item/%d', self::PREFIX, $id);
        $this->guzzle->delete($uri, ['query' => ['token' => $this->token], 'form_params' => ['reason' => 'TestItem']]);
        $this->logger->info('DELETE /item/{id}', ['id' => $id]);
    }

    public function find(string $reference): ?array
    {
        $promise = $this->guzzle->requestAsync('GET', self::PREFIX . "/item/reference/" . rawurlencode($reference));
        return $this->decode($promise->wait());
    }

    public function switchNotification(int $n): void
    {
        $this->guzzle->put(self::PREFIX . '/notification/' . $n);
    }
}
