<?php
function delcampe_request($what, $id = null, $data = array()) {
    $method = 'GET';
    switch ($what) {
        case 'categories':
            $path = '/category';
            break;
        case 'open':
            $path = '/item/fixedprice/opened';
            break;
        case 'closed':
            $path = '/item/auction/closed';
            break;
        case 'reference':
            $path = '/item/reference/' . rawurlencode($id);
            break;
        case 'models':
            $path = '/shippingModels';
            break;
    }
    $context = stream_context_create(array('http' => array('method' => $method)));
    return file_get_contents('http://rest.delcampe.net' . $path . '?token=' . $GLOBALS['token'], false, $context);
}

function delcampe_restart($id) {
    $fp = fsockopen('rest.delcampe.net', 80);
    $out = "POST /item/$id/restart HTTP/1.0\r\n";
    $out .= "Host: rest.delcampe.net\r\n\r\n";
    fwrite($fp, $out);
}
?>
<html><body><a href="/item/12">see the item</a> GET /item/13</body></html>
