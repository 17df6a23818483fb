# Delcampe.psm1 - small wrapper, works on PowerShell 5.1 and 7
$script:BaseUri = 'https://rest.delcampe.net/rest'
$script:Token   = $null

function Connect-Delcampe {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string]$ApiKey
    )
    $response = Invoke-RestMethod -Method Post -Uri "$script:BaseUri/seller" -Body @{ apikey = $ApiKey }
    $script:Token = $response.Notification.Notification_Data.body.token
}

function Get-DelcampeItem {
    param([Parameter(ValueFromPipeline)][int]$Id)
    process {
        $params = @{
            Uri     = "$script:BaseUri/item/$($Id)?token=$script:Token"
            Method  = 'Get'
            Headers = @{ Accept = 'application/xml' }
        }
        Invoke-RestMethod @params
    }
}

<#
.SYNOPSIS
    Closes an item, DELETE /rest/item/{id}
.EXAMPLE
    Close-DelcampeItem 1234 -Reason TestItem
    Invoke-RestMethod https://rest.delcampe.net/rest/item/1234 -Method Delete
#>
function Close-DelcampeItem {
    param([int]$Id, [string]$Reason = 'NotAvailableItem')
    if ($Id -le 0) { throw "bad id /item/$Id" }
    $uri = $script:BaseUri + '/item/' + $Id + '?token=' + $script:Token
    Invoke-WebRequest -Uri $uri -Method Delete -Body @{ reason = $Reason } -UseBasicParsing | Out-Null
}

function Get-DelcampeSold {
    param([ValidateSet('auction', 'fixedprice')][string]$Type = 'fixedprice', [int]$Start = 0)
    $q = 'token={0}&startingItem={1}&numberOfItems=100' -f $script:Token, $Start
    $r = Invoke-RestMethod ("{0}/item/{1}/sold?{2}" -f $script:BaseUri, $Type, $q)
    Write-Verbose "got /item/$Type/sold"
    $r.Notification.Notification_Data.body.item
}

function Set-DelcampePrice {
    param($Id, [decimal]$Price)
    irm -Uri "$BaseUri/item/${Id}?token=$Token" -Method PUT `
        -Body @{ 'item[fixed_price]' = $Price } `
        -ContentType 'application/x-www-form-urlencoded'
}

Export-ModuleMember -Function Connect-Delcampe, Get-DelcampeItem, Close-DelcampeItem, Get-DelcampeSold, Set-DelcampePrice
