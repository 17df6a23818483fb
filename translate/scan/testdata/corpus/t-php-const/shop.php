<?php
use Inc\Endpoints;

class Shop
{
    private $curl;

    protected function fetch($verb, $uri, $post = null)
    {
        $this->curl = curl_init();
        curl_setopt_array($this->curl, [
            CURLOPT_URL => Endpoints::HOST . $uri,
            CURLOPT_CUSTOMREQUEST => $verb,
            CURLOPT_POSTFIELDS => $post,
            CURLOPT_RETURNTRANSFER => true,
        ]);
        return curl_exec($this->curl);
    }

    public function me()
    {
        return $this->fetch('GET', Endpoints::SELLER . '?token=' . $this->token);
    }

    public function sold($page)
    {
        return $this->fetch('GET', Endpoints::SOLD . '?' . http_build_query(['startingItem' => $page * 100, 'numberOfItems' => 100]));
    }

    public function drop($id)
    {
        return $this->fetch('DELETE', sprintf(Endpoints::ONE, $id), ['reason' => 'TestItem']);
    }

    public function mail($type, $to)
    {
        return $this->fetch('POST', Endpoints::MAILS, ['notificationType' => 'Email_Seller_Item_Add', 'destination' => $to]);
    }
}
