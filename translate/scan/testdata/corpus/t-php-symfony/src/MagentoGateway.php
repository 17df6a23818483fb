<?php
namespace App;
class MagentoGateway
{
    public function item(string $id) { return $this->magentoClient->request('GET', '/rest/V1/products/' . $id); }
    public function cart(string $id) { return $this->magentoClient->request('GET', "/rest/default/V1/carts/$id/items"); }
}
