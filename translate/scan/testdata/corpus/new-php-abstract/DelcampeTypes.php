<?php
namespace Phila\Gateway;

class DelcampeTypes extends AbstractGateway
{
    protected $host = 'https://rest.delcampe.net';
    protected function endpoint(): string { return '/rest/notification/types'; }
    public function all() { return $this->fetch('GET'); }
}
