<?php
class ControllerLibDelcampe {
	private $registry;
	private $base = 'https://rest.delcampe.net/rest/';
	const R_ITEM = 'item';
	const R_SELLER = 'seller';

	public function __construct($registry) {
		$this->registry = $registry;
	}

	public function __get($name) {
		return $this->registry->get($name);
	}

	public function login() {
		return $this->send(self::R_SELLER, 'post', array('apikey' => $this->config->get('delcampe_key')));
	}

	public function addItem($data) {
		return $this->send(self::R_ITEM, 'post', $data);
	}

	public function editItem($id, $data) {
		return $this->send(self::R_ITEM . '/' . $id, 'put', $data);
	}

	public function getBuyer($id) {
		return $this->send(implode('/', array(self::R_ITEM, $id, 'buyer')));
	}

	public function shipping() {
		return $this->send('shippingModels');
	}

	private function send($resource, $verb = 'get', $data = array()) {
		$opts = array(
			'http' => array(
				'method'  => strtoupper($verb),
				'header'  => "Accept: application/xml\r\n",
				'content' => http_build_query($data),
			)
		);
		$this->log->write('delcampe ' . $verb . ' /' . $resource);
		return file_get_contents($this->base . $resource . '?token=' . $this->session->data['delcampe_token'], false, stream_context_create($opts));
	}
}
