<?php
return [
    'delcampe' => [
        'base_url' => 'https://rest.delcampe.net',
        'key' => getenv('DELCAMPE_KEY'),
    ],
    'magento' => [
        'base_url' => 'https://shop.example.org/rest/V1',
    ],
];
