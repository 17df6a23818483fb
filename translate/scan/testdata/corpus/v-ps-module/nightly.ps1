Import-Module $PSScriptRoot\Delcampe.psm1
Connect-Delcampe $env:DELCAMPE_KEY
$jira = 'https://jira.example.com/rest/api/2'
Invoke-RestMethod "$jira/issue/NIGHT-1/comment" -Method Post -Body '{"body":"sync"}'
Invoke-RestMethod -Uri 'https://jira.example.com/rest/item/12' -Method Get
foreach ($s in Get-DelcampeSold -Type auction) {
    $body = @{ comment = 'Thank you'; feedback = 'positive' }
    $splat = @{ Method = 'Post'; Body = $body }
    Invoke-RestMethod "https://rest.delcampe.net/rest/item/$($s.id_item)/feedback?token=$env:TOKEN" @splat
}
$types = (Invoke-WebRequest https://rest.delcampe.net/rest/notification/types?token=$env:TOKEN).Content
$wc = New-Object System.Net.WebClient
$time = $wc.DownloadString('https://rest.delcampe.net/rest/server/time')
$wc.UploadString("https://rest.delcampe.net/rest/notification/settings?token=$env:TOKEN", 'POST', 'notificationType=Curl_Seller_Item_Add&destination=https://shop.example.org/hook')
