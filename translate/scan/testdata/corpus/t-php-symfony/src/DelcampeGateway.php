<?php
namespace App;

use Symfony\Contracts\HttpClient\HttpClientInterface;

class DelcampeGateway
{
    public function __construct(private HttpClientInterface $delcampeClient, private LoggerInterface $logger) {}

    public function feedback(string $item, int $value): void
    {
        $this->delcampeClient->request('POST', \sprintf('/item/%s/feedback', $item), ['body' => ['feedback' => $value]]);
        $this->logger->info(sprintf('POST /item/%s/feedback', $item));
    }

    public function toggle(int $notification): void
    {
        $path = '/notification/' . $notification;
        $this->delcampeClient->request('PUT', $path);
    }
}
