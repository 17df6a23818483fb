<?php
class Market_model extends CI_Model
{
    public function add($data)
    {
        $this->load->library('curl');
        return $this->curl->simple_post($this->config->item('delcampe_url') . '/item', $data);
    }

    public function end_item($id, $why)
    {
        $this->curl->create($this->config->item('delcampe_url') . '/item/' . $id);
        $this->curl->delete(array('reason' => $why));
        return $this->curl->execute();
    }

    public function magento_item($id)
    {
        return $this->curl->simple_get($this->config->item('magento_url') . '/item/' . $id);
    }
}
