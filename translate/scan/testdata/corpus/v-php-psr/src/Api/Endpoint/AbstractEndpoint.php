<?php
namespace Acme\Delcampe\Api\Endpoint;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

abstract class AbstractEndpoint
{
    protected const BASE = 'https://rest.delcampe.net/rest';

    public function __construct(
        protected ClientInterface $client,
        protected RequestFactoryInterface $requests,
        protected StreamFactoryInterface $streams,
        protected string $token,
    ) {}

    protected function call(string $method, string $path, array $form = []): \SimpleXMLElement
    {
        $request = $this->requests->createRequest($method, self::BASE . $path . '?token=' . $this->token);
        if ($form) {
            $request = $request->withBody($this->streams->createStream(http_build_query($form)));
        }
        return new \SimpleXMLElement((string) $this->client->sendRequest($request)->getBody());
    }
}
