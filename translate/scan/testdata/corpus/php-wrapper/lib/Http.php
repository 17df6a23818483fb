<?php

class Http
{
    private $config;
    private $token;

    public function __construct(array $config)
    {
        $this->config = $config;
    }

    public function call($method, $path, array $fields = [])
    {
        $url = rtrim($this->config['delcampe']['base_url'], '/') . '/' . ltrim($path, '/');
        $options = [
            'http' => [
                'method' => $method,
                'header' => 'Content-Type: application/x-www-form-urlencoded',
                'content' => http_build_query($fields + ['token' => $this->token]),
            ],
        ];
        return file_get_contents($url, false, stream_context_create($options));
    }

    public function get($path, array $fields = [])
    {
        return $this->call('GET', $path . '?' . http_build_query($fields));
    }

    public function post($path, array $fields = [])
    {
        return $this->call('POST', $path, $fields);
    }
}
