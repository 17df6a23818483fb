<?php
require __DIR__ . '/../vendor/autoload.php';
$api = getenv('DELCAMPE_API') ?: 'https://rest.delcampe.net/rest';
$steps = [
    ['POST', "$api/seller", ['apikey' => getenv('DELCAMPE_KEY')]],
    ['GET', "$api/item/auction/closed", []],
];
foreach ($steps as [$m, $u, $b]) {
    $out[] = send($m, $u, $b);
}
function send(string $m, string $u, array $b): string {
    $c = curl_init();
    curl_setopt($c, CURLOPT_URL, $u);
    curl_setopt($c, CURLOPT_CUSTOMREQUEST, $m);
    curl_setopt($c, CURLOPT_POSTFIELDS, http_build_query($b));
    curl_setopt($c, CURLOPT_RETURNTRANSFER, 1);
    return curl_exec($c);
}
preg_match_all('~<id_item>(\d+)~', $out[1], $ids);
foreach ($ids[1] as $id) {
    send('POST', $api . "/item/$id/restart", []);
    printf("relisted %s (was /item/%s)\n", $id, $id);
}
