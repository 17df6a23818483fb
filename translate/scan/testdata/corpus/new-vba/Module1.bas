Attribute VB_Name = "Module1"
Option Explicit
Public Const DELCAMPE As String = "https://rest.delcampe.net/rest/"

Function Http(ByVal Method As String, ByVal Url As String, Optional ByVal Data As String) As Object
    Dim x As Object
    Set x = CreateObject("MSXML2.ServerXMLHTTP.6.0")
    x.Open Method, Url, False
    x.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
    x.send Data
    Set Http = x.responseXML
End Function

Sub CloseSelected()
    Dim c As Range, url As String
    For Each c In Selection
        url = DELCAMPE & "item/" & c.Value
        url = url & "?token=" & Range("B1").Value
        Http "DELETE", url, "reason=NotAvailableItem"
        Debug.Print "closed /item/" & c.Value
    Next c
End Sub

Sub Upload()
    Dim d As String
    d = "title=" & WorksheetFunction.EncodeURL(Cells(2, 1)) & _
        "&fixed_price=" & Cells(2, 2)
    Http "POST", DELCAMPE & "item?token=" & Range("B1"), d
End Sub

Function Models() As String
    With CreateObject("WinHttp.WinHttpRequest.5.1")
        .Open "GET", DELCAMPE & "shippingModels", False
        .Send
        Models = .ResponseText
    End With
End Function
