<?php

return [
    'delcampe' => [
        'url' => env('DELCAMPE_URL', 'https://rest.delcampe.net'),
        'key' => env('DELCAMPE_KEY'),
    ],
];
