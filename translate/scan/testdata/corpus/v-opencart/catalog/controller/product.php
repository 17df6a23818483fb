<?php
class ControllerProduct extends Controller {
	public function index() {
		$this->response->redirect($this->url->link('product/category', 'path=' . $this->request->get['path']));
		$this->data['href'] = '/item/' . $this->request->get['id'];
		$json = file_get_contents(HTTP_SERVER . 'index.php?route=api/item/12');
	}
}
