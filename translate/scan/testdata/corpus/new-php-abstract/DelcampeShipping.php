<?php
namespace Phila\Gateway;

class DelcampeShipping extends AbstractGateway
{
    protected $host = 'https://rest.delcampe.net';
    protected function endpoint(): string { return '/rest/shippingModels'; }
    public function all() { return $this->fetch('GET'); }
}
