#requires -Version 5.1
using namespace System.Net.Http

param(
    [Parameter(Mandatory)] [string] $Key,
    [ValidateSet('Prod', 'Test')] [string] $Environment = 'Prod'
)

$hosts = @{ Prod = 'https://rest.delcampe.net/rest'; Test = 'http://localhost:8080/rest' }

class DelcampeClient {
    [string] $Base
    [string] $Token

    DelcampeClient([string] $base) { $this.Base = $base }

    [xml] Send([string] $method, [string] $path, [hashtable] $form) {
        $uri = '{0}/{1}' -f $this.Base, $path
        return Invoke-RestMethod -Uri $uri -Method $method -Body $form
    }

    [void] Login([string] $key) {
        $this.Token = $this.Send('POST', 'seller', @{ apikey = $key }).Notification.Notification_Data.body.token
    }

    [xml] Item([int] $id) { return $this.Send('GET', "item/$id", @{ token = $this.Token }) }

    [void] Close([int] $id) {
        $this.Send('DELETE', "item/$id", @{ token = $this.Token; reason = 'NotAvailableItem' })
    }
}

$client = [DelcampeClient]::new($hosts[$Environment])
$client.Login($Key)
Import-Csv .\close.csv | ForEach-Object {
    Write-Progress -Activity "closing /item/$($_.Id)"
    $client.Close($_.Id)
}

$http = [HttpClient]::new()
$http.BaseAddress = [uri]'https://rest.delcampe.net/rest/'
$text = $http.GetStringAsync('item/closeReasons').Result
$req = [HttpRequestMessage]::new([HttpMethod]::Put, "notification/5?token=$($client.Token)")
$null = $http.SendAsync($req).Result

& curl.exe -s -X POST "$($hosts.Prod)/item/5/restart?token=$($client.Token)"
Invoke-RestMethod -Uri 'https://wiki.example.com/rest/item/12'
