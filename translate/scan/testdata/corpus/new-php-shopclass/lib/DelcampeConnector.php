<?php
/**
 * Connector for delcampe.net
 * Docs: GET /rest/item/{id} returns the item, DELETE /rest/item/{id} closes it
 */
class DelcampeConnector
{
    private $apiUrl;
    private $token;
    private $lastError = null;
    protected $endpoints = array(
        'login'  => '/seller',
        'create' => '/item',
        'models' => '/shippingModels',
        'sold'   => '/item/fixedprice/sold',
    );

    public function __construct($apiUrl, $key)
    {
        $this->apiUrl = rtrim($apiUrl, '/');
        $xml = $this->_post($this->endpoints['login'], array('apikey' => $key));
        $this->token = (string) $xml->Notification_Data->body->token;
    }

    private function _exec($verb, $resource, array $data = array())
    {
        $ch = curl_init();
        $url = $this->apiUrl . $resource;
        if ($this->token) {
            $url .= '?token=' . $this->token;
        }
        curl_setopt($ch, CURLOPT_URL, $url);
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
        curl_setopt($ch, CURLOPT_CUSTOMREQUEST, $verb);
        if (count($data)) {
            curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query($data));
        }
        $res = curl_exec($ch);
        if ($res === false) {
            $this->lastError = curl_error($ch);
            error_log('Delcampe: call to /item failed: ' . $this->lastError);
            return null;
        }
        curl_close($ch);
        return simplexml_load_string($res);
    }

    protected function _get($r) { return $this->_exec('GET', $r); }
    protected function _post($r, $d) { return $this->_exec('POST', $r, $d); }
    protected function _put($r, $d = array()) { return $this->_exec('PUT', $r, $d); }
    protected function _delete($r, $d = array()) { return $this->_exec('DELETE', $r, $d); }

    public function addItem(array $item)
    {
        return $this->_post($this->endpoints['create'], $item);
    }

    public function getShippingModels()
    {
        return $this->_get($this->endpoints['models']);
    }

    public function soldItems()
    {
        return $this->_get($this->endpoints['sold']);
    }

    public function withdraw($id, $why = 'NotAvailableItem')
    {
        return $this->_delete('/item/' . (int) $id, array('reason' => $why));
    }

    public function update($id, $fields)
    {
        return $this->_put(sprintf('/item/%d', $id), $fields);
    }

    public function buyer($id)
    {
        return $this->_get("/item/$id/buyer");
    }

    public function rate($id, $points, $text)
    {
        return $this->_post("/item/{$id}/feedback", compact('points') + array('feedback' => $points, 'comment' => $text));
    }
}
