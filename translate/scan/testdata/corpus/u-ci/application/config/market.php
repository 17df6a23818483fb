<?php
$config['delcampe_url'] = 'https://rest.delcampe.net';
$config['magento_url'] = 'https://shop.example.org/rest';
