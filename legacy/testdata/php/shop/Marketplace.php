<?php
// The shop's way to the marketplace, as shops wrote it in those days: one class, a method for each call.

class Marketplace
{
    private $base;
    private $token;

    public function __construct($base, $key)
    {
        $this->base = $base;
        $this->token = (string) $this->send('POST', '/seller', array('apikey' => $key))->token;
    }

    public function listLot($lot)
    {
        return (string) $this->send('POST', '/item', $lot)->status;
    }

    public function find($reference)
    {
        return (string) $this->send('GET', '/item/reference/' . rawurlencode($reference))->item->id_item;
    }

    public function sold($start, $count)
    {
        $range = array('startingItem' => $start, 'numberOfItems' => $count);
        $ids = array();
        foreach ($this->send('GET', '/item/fixedprice/sold', $range)->item as $item) {
            $ids[] = (string) $item->id_item;
        }
        return $ids;
    }

    public function rateBuyer($id, $score, $comment)
    {
        return (string) $this->send('POST', '/item/' . $id . '/feedback', array('feedback' => $score, 'comment' => $comment))->status;
    }

    public function close($id, $reason)
    {
        return (string) $this->send('DELETE', "/item/$id", array('reason' => $reason))->status;
    }

    private function send($method, $path, $fields = array())
    {
        $url = $this->base . $path;
        if ($this->token) {
            $url .= '?token=' . $this->token;
        }
        $curl = curl_init();
        if ($method == 'GET' && $fields) {
            $url .= '&' . http_build_query($fields);
        } elseif ($fields) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($fields));
        }
        curl_setopt($curl, CURLOPT_URL, $url);
        curl_setopt($curl, CURLOPT_CUSTOMREQUEST, $method);
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
        $xml = simplexml_load_string(curl_exec($curl));
        $status = curl_getinfo($curl, CURLINFO_HTTP_CODE);
        if ($xml === false || $status >= 300) {
            fwrite(STDERR, "$method $path was answered $status\n");
            exit(1);
        }
        return $xml->Notification_Data->body;
    }
}
