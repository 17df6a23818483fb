$base = $env:DELCAMPE_BASE ?? 'https://rest.delcampe.net/rest'
$headers = @{ 'Accept' = 'application/xml' }

function Send-Request {
    param($Verb, $Resource, $Form = @{})
    $query = if ($script:token) { "?token=$script:token" } else { '' }
    $args = @{ Uri = "$base/$Resource$query"; Method = $Verb; Headers = $headers }
    if ($Form.Count) { $args.Body = $Form }
    try { Invoke-RestMethod @args }
    catch [System.Net.WebException] { Write-Error "failed: /item $_"; throw }
}

$script:token = (Send-Request POST seller @{ apikey = $env:KEY }).Notification.Notification_Data.body.token

Import-Csv prices.csv | % {
    $found = Send-Request -Verb GET -Resource "item/reference/$($_.Ref)"
    $id = $found.SelectSingleNode('//id_item').InnerText
    if ($id) {
        Send-Request -Resource ('item/{0}' -f $id) -Verb PUT -Form @{ 'item[fixed_price]' = $_.Price }
    } else {
        Send-Request POST 'item' @{ 'item[title]' = $_.Title; 'item[fixed_price]' = $_.Price }
    }
}
Start-Process "https://shop.example.org/item/12"
