<?php
namespace Phila\Gateway;

abstract class AbstractGateway
{
    protected $host = 'https://example.invalid';
    abstract protected function endpoint(): string;

    protected function fetch(string $verb, array $body = []): string
    {
        $h = curl_init($this->host . $this->endpoint());
        curl_setopt_array($h, [
            CURLOPT_CUSTOMREQUEST  => $verb,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_POSTFIELDS     => http_build_query($body),
        ]);
        return (string) curl_exec($h);
    }
}
