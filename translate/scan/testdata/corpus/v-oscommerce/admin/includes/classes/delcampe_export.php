<?php
/*
  $Id: delcampe_export.php 2011-03-02 $
  osCommerce, Open Source E-Commerce Solutions
  Exports products to delcampe. See PUT /item/{id} in their docs.
*/
  define('DIR_DELCAMPE_URL', 'http://rest.delcampe.net');
  define('FILENAME_DELCAMPE_SELLER', '/seller');
  define('FILENAME_DELCAMPE_ITEM', '/item');

  class delcampe_export {
    var $token, $last_error;

    function delcampe_export($api_key) {
      $xml = $this->_transfer(DIR_DELCAMPE_URL . FILENAME_DELCAMPE_SELLER, 'POST', array('apikey' => $api_key));
      $this->token = (string)$xml->Notification_Data->body->token;
    }

    function insert($products_id) {
      $product_query = tep_db_query("select p.products_id, pd.products_name, p.products_price from " . TABLE_PRODUCTS . " p where p.products_id = '" . (int)$products_id . "'");
      $product = tep_db_fetch_array($product_query);
      $fields = array('item[title]' => $product['products_name'],
                      'item[fixed_price]' => $product['products_price'],
                      'item[personal_reference]' => 'osc-' . $product['products_id']);
      return $this->_transfer(DIR_DELCAMPE_URL . FILENAME_DELCAMPE_ITEM . '?token=' . $this->token, 'POST', $fields);
    }

    function remove($delcampe_id, $reason = 'NotAvailableItem') {
      $url = DIR_DELCAMPE_URL . FILENAME_DELCAMPE_ITEM . '/' . $delcampe_id . '?token=' . $this->token . '&reason=' . $reason;
      return $this->_transfer($url, 'DELETE');
    }

    function find($products_id) {
      return $this->_transfer(DIR_DELCAMPE_URL . FILENAME_DELCAMPE_ITEM . '/reference/osc-' . (int)$products_id . '?token=' . $this->token);
    }

    function _transfer($url, $method = 'GET', $fields = null) {
      $ch = curl_init($url);
      curl_setopt($ch, CURLOPT_RETURNTRANSFER, 1);
      curl_setopt($ch, CURLOPT_CUSTOMREQUEST, $method);
      if ($fields) curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query($fields));
      $out = curl_exec($ch);
      if ($out === false) { $this->last_error = curl_error($ch); return false; }
      curl_close($ch);
      return simplexml_load_string($out);
    }
  }
?>
