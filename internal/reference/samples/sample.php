<?php

$context = stream_context_create(['http' => [
    'method' => '{{.Method}}',
    'header' => [
        'X-Api-Key: ' . getenv('{{key}}'),
{{- if .Keyed}}
        'Idempotency-Key: ' . bin2hex(random_bytes(16)), // the same again if you repeat the request{{end}}
{{- if .Body}}
        'Content-Type: {{.MediaType}}',{{end}}
    ],
{{- if .Body}}
    'content' => json_encode({{php .Body}}),{{end}}
    'ignore_errors' => true, // a refusal has a body too
]]);
$response = fopen('{{.URL}}', 'r', false, $context);
echo stream_get_meta_data($response)['wrapper_data'][0], "\n", stream_get_contents($response), "\n";
