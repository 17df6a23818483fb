Attribute VB_Name = "modDelcampe"
Option Explicit
' GET /item/auction/sold is called by the scheduler
Private Const BASE_URL As String = "http://rest.delcampe.net"
Public Token As String

Public Function GetItem(ByVal Id As Long) As String
    Dim http As New MSXML2.XMLHTTP
    http.Open "GET", BASE_URL & "/item/" & Id & "?token=" & Token, False
    http.send
    GetItem = http.responseText
End Function

Public Function Login(ByVal Key As String) As String
    Dim x As Object
    Set x = CreateObject("WinHttp.WinHttpRequest.5.1")
    x.Open "POST", BASE_URL & "/seller", False
    x.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
    x.send "apikey=" & Key
    Login = x.responseText
End Function

Public Sub CloseItem(Id As String, Reason As String)
    Dim url As String
    url = BASE_URL & "/item/" & _
          Id & "?token=" & Token
    Dim h As Object
    Set h = CreateObject("MSXML2.ServerXMLHTTP")
    h.Open "DELETE", url, False
    h.send "reason=" & Reason
    MsgBox "DELETE /item/" & Id
End Sub

Private Function Fetch(ByVal Verb As String, ByVal Path As String) As String
    Dim r As New MSXML2.XMLHTTP
    r.Open Verb, BASE_URL & Path, False
    r.send
    Fetch = r.responseText
End Function

Public Sub Nightly()
    Dim s As String
    s = Fetch("GET", "/item/fixedprice/sold?numberOfItems=1000")
    s = Fetch("POST", "/item/" & NextId() & "/restart")
    Call Fetch("GET", "/shippingModels")
End Sub
