' close sold items
Const API = "https://rest.delcampe.net/rest"
Dim http, token
Set http = CreateObject("WinHttp.WinHttpRequest.5.1")

Function Req(verb, url, body)
    http.Open verb, url, False
    http.SetRequestHeader "Content-Type", "application/x-www-form-urlencoded"
    http.Send body
    Req = http.ResponseText
End Function

x = Req("POST", API & "/seller", "apikey=" & WScript.Arguments(0))
token = Split(Split(x, "<token>")(1), "</token>")(0)
For Each id In Array("101", "102")
    Req "DELETE", API & "/item/" & id & "?token=" & token, "reason=NotAvailableItem"
    WScript.Echo "closed /item/" & id
Next
http.Open "GET", API & "/shippingModels", False
http.Send
