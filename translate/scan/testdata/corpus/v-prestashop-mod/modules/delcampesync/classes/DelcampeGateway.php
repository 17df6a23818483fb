<?php
if (!defined('_PS_VERSION_')) { exit; }

class DelcampeGateway
{
    protected static $urls = array(
        'live' => 'https://rest.delcampe.net',
        'mock' => 'http://localhost:8080',
    );
    private $mode;
    private $session;

    public function __construct($mode = 'live')
    {
        $this->mode = $mode;
    }

    protected function url($resource, array $query = array())
    {
        if ($this->session) {
            $query['token'] = $this->session;
        }
        return self::$urls[$this->mode] . '/rest/' . ltrim($resource, '/') . ($query ? '?' . http_build_query($query, '', '&') : '');
    }

    public function open()
    {
        $response = $this->request('POST', $this->url('seller'), array('apikey' => Configuration::get('DC_KEY')));
        $this->session = (string) $response->Notification_Data->body->token;
    }

    public function getItem($id)
    {
        return $this->request('GET', $this->url('item/' . (int) $id));
    }

    public function getSold($type, $page)
    {
        return $this->request('GET', $this->url("item/$type/sold", array('startingItem' => $page * 100, 'numberOfItems' => 100)));
    }

    public function add(Product $product)
    {
        return $this->request('POST', $this->url('item'), $this->map($product));
    }

    public function delete($id)
    {
        return $this->request('DELETE', $this->url('item/' . (int) $id, array('reason' => 'NotAvailableItem')));
    }

    private function request($verb, $url, $data = null)
    {
        PrestaShopLogger::addLog('Delcampe ' . $verb . ' /item');
        $curl = curl_init();
        curl_setopt_array($curl, array(
            CURLOPT_URL => $url,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_CUSTOMREQUEST => $verb,
            CURLOPT_POSTFIELDS => $data === null ? '' : http_build_query($data),
        ));
        $body = curl_exec($curl);
        curl_close($curl);
        return simplexml_load_string($body);
    }

    private function map($product)
    {
        return array('item' => array('title' => $product->name, 'personal_reference' => 'ps' . $product->id));
    }
}
