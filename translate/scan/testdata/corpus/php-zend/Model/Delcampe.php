<?php
class Model_Delcampe extends Zend_Http_Client
{
    protected $_endpoint = 'http://rest.delcampe.net';
    public function closeItem($id)
    {
        $this->setUri($this->_endpoint . '/item/' . (int) $id);
        $this->setMethod(Zend_Http_Client::DELETE);
        return $this->request();
    }
    public function getSold($start = 0, $n = 100)
    {
        $client = new Zend_Http_Client($this->_endpoint . '/item/auction/sold');
        $client->setParameterGet(array('startingItem' => $start, 'numberOfItems' => $n));
        return $client->request('GET');
    }
    public function addSetting($type, $dest)
    {
        $client = new Zend_Http_Client();
        $client->setUri($this->_endpoint . '/notification/settings');
        $client->setParameterPost('notificationType', $type);
        return $client->request('POST');
    }
}
