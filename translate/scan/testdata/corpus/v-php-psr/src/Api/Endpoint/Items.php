<?php
namespace Acme\Delcampe\Api\Endpoint;

final class Items extends AbstractEndpoint
{
    public function show(int $id) { return $this->call('GET', "/item/$id"); }

    /** DELETE /item/{id} */
    public function close(int $id, string $reason)
    {
        return $this->call('DELETE', sprintf('/item/%d', $id), compact('reason'));
    }

    public function restart(int $id): void
    {
        $this->call('POST', '/item/' . $id . '/restart');
    }

    public function sold(SaleType $type)
    {
        return $this->call('GET', "/item/{$type->value}/sold");
    }
}
