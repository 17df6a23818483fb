<?php
class Stamp_Delcampe_Model_Api extends Varien_Object
{
    const XML_PATH_URL = 'delcampe/api/url';

    protected function _url($path)
    {
        return rtrim(Mage::getStoreConfig(self::XML_PATH_URL), '/') . '/' . ltrim($path, '/');
    }

    protected function _request($path, $method = Zend_Http_Client::GET, array $params = array())
    {
        $client = new Zend_Http_Client($this->_url($path), array('timeout' => 30));
        $client->setParameterGet('token', $this->getToken());
        if ($method !== Zend_Http_Client::GET) {
            $client->setParameterPost($params);
        }
        $response = $client->request($method);
        if ($response->isError()) {
            Mage::log('Delcampe ' . $method . ' /item failed', null, 'delcampe.log');
        }
        return simplexml_load_string($response->getBody());
    }

    public function sell(Mage_Catalog_Model_Product $p)
    {
        return $this->_request('item', Zend_Http_Client::POST, array(
            'title' => $p->getName(), 'fixed_price' => $p->getPrice(), 'personal_reference' => $p->getSku(), 'qty' => 1,
        ));
    }

    public function getItem($id) { return $this->_request('item/' . $id); }
    public function stop($id) { return $this->_request('item/' . $id, Zend_Http_Client::DELETE, array('reason' => 'NotAvailableItem')); }
    public function subscribe($type) {
        return $this->_request('notification/settings', 'POST', array('notificationType' => $type, 'destination' => Mage::getUrl('delcampe/notify')));
    }
    public function subscriptions() { return $this->_request('notification/settings'); }
    public function magento($sku) { return file_get_contents(Mage::getBaseUrl() . 'rest/V1/products/' . $sku); }
}
