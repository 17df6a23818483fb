<?php
namespace Acme\Delcampe\Api\Endpoint;

final class Notifications extends AbstractEndpoint
{
    public function all() { return $this->call('GET', '/notification/settings'); }
    public function add(string $type, string $url) { return $this->call('POST', '/notification/settings', ['notificationType' => $type, 'destination' => $url]); }
    public function toggle(int $id) { return $this->call('PUT', '/notification/' . $id); }
}
