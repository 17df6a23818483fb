<?php
/*
 * Delcampe bridge for our shop. Old style.
 * GET /item/auction/sold is documented at https://rest.delcampe.net/doc
 */
define('DLC_HOST', 'http://rest.delcampe.net');
define('DLC_SOLD', '/item/fixedprice/sold');

class DelcampeClient
{
    var $apiKey;
    var $token;
    var $lastError = '';

    function DelcampeClient($apiKey)
    {
        $this->apiKey = $apiKey;
        $ch = curl_init();
        curl_setopt($ch, CURLOPT_URL, DLC_HOST . '/seller');
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, 1);
        curl_setopt($ch, CURLOPT_POST, 1);
        curl_setopt($ch, CURLOPT_POSTFIELDS, 'apikey=' . $apiKey);
        $res = curl_exec($ch);
        curl_close($ch);
        $xml = simplexml_load_string($res);
        $this->token = (string) $xml->Notification_Data->body->token;
    }

    function getItem($id)
    {
        $url = DLC_HOST . "/item/$id?token=" . $this->token;
        return simplexml_load_string(file_get_contents($url));
    }

    function addItem($fields)
    {
        $ch = curl_init(DLC_HOST . "/item?token={$this->token}");
        curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query($fields));
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
        return curl_exec($ch);
    }

    function updateItem($id, $fields)
    {
        $url = sprintf('%s/item/%d?token=%s', DLC_HOST, $id, $this->token);
        $ch = curl_init();
        curl_setopt_array($ch, array(
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => 'PUT',
            CURLOPT_POSTFIELDS => http_build_query($fields),
            CURLOPT_RETURNTRANSFER => true,
        ));
        return curl_exec($ch);
    }

    function closeItem($id, $reason = 'NotAvailableItem')
    {
        // was: curl_init(DLC_HOST . '/item/' . $id . '/buyer')
        $ch = curl_init();
        curl_setopt($ch, CURLOPT_CUSTOMREQUEST, 'DELETE');
        curl_setopt($ch, CURLOPT_URL, DLC_HOST . '/item/' . $id . '?token=' . $this->token);
        curl_setopt($ch, CURLOPT_POSTFIELDS, array('reason' => $reason));
        $r = curl_exec($ch);
        if ($r === false) {
            error_log('DELETE /item/' . $id . ' failed');
        }
        return $r;
    }

    function sold($from = 0)
    {
        return file_get_contents(DLC_HOST . DLC_SOLD . '?startingItem=' . $from . '&numberOfItems=100&token=' . $this->token);
    }

    function buyer($id)
    {
        $r = fopen(DLC_HOST . '/item/' . $id . '/buyer?token=' . $this->token, 'r');
        return stream_get_contents($r);
    }
}
