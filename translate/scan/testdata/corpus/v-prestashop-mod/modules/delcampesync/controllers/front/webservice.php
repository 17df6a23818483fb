<?php
class DelcampesyncWebserviceModuleFrontController extends ModuleFrontController
{
    public function initContent()
    {
        $ws = new PrestaShopWebservice(Tools::getShopDomain(true), Configuration::get('WS'));
        $ws->get(array('url' => Tools::getShopDomainSsl(true) . '/api/category/3'));
        $link = $this->context->link->getPageLink('category');
        header('Location: /item/12');
    }
}
