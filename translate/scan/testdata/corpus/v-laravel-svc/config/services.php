<?php

return [
    'delcampe' => [
        'url' => env('DELCAMPE_URL', 'https://rest.delcampe.net/rest'),
        'key' => env('DELCAMPE_KEY'),
    ],
    'jira' => [
        'url' => env('JIRA_URL', 'https://jira.example.com/rest'),
    ],
];
