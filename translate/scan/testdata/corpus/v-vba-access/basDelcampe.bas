Attribute VB_Name = "basDelcampe"
Option Compare Database
Option Explicit

Private Const cBase = "https://rest.delcampe.net/rest"

Private Function HttpCall(strMethod As String, strUrl As String, Optional strData As String) As Object
    Dim http As Object
    Set http = CreateObject("MSXML2.XMLHTTP.6.0")
    With http
        .Open strMethod, strUrl, False
        .setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
        .send strData
    End With
    Set HttpCall = http.responseXML
End Function

Public Function GetToken() As String
    GetToken = HttpCall("POST", cBase & "/seller", "apikey=" & DLookup("DelcampeKey", "tblSettings")).selectSingleNode("//token").Text
End Function

Public Sub ImportSold()
    Dim rs As DAO.Recordset, xml As Object, node As Object
    Dim strToken As String: strToken = GetToken()
    Dim varType As Variant
    For Each varType In Array("auction", "fixedprice")
        Set xml = HttpCall("GET", cBase & "/item/" & varType & "/sold?token=" & strToken)
        For Each node In xml.selectNodes("//item")
            CurrentDb.Execute "INSERT INTO tblSold (Path) VALUES ('/item/" & node.selectSingleNode("id_item").Text & "')"
        Next
    Next
End Sub

Public Sub CloseItem(lngId As Long)
    Dim strUrl As String
    strUrl = cBase & "/item/" & lngId
    strUrl = strUrl & "?token=" & GetToken() & "&reason=NotAvailableItem"
    HttpCall "DELETE", strUrl
    Debug.Print "DELETE /item/" & lngId
End Sub

Public Sub Restart(lngId As Long)
    Call HttpCall("POST", cBase & "/item/" & lngId & "/restart?token=" & GetToken())
End Sub
