Attribute VB_Name = "modDelcampe"
Option Explicit
Private Const DC_HOST As String = "http://rest.delcampe.net/"
Private Const DC_ITEM As String = DC_HOST & "item/"
Public gToken As String
Private m_xml As MSXML2.ServerXMLHTTP60

Public Sub DC_Login(ByVal sKey As String)
    Dim sResp As String
    sResp = DC_Send("POST", "seller", "apikey=" & sKey)
    gToken = Between(sResp, "<token>", "</token>")
End Sub

Public Function DC_Send(ByVal sVerb As String, ByVal sPath As String, Optional ByVal sBody As String = "") As String
    Set m_xml = New MSXML2.ServerXMLHTTP60
    m_xml.open sVerb, DC_HOST & sPath & "?token=" & gToken, False
    If sBody <> "" Then m_xml.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
    m_xml.send sBody
    DC_Send = m_xml.responseText
End Function

Public Function DC_Close(ByVal lId As Long, ByVal sReason As String) As Boolean
    ' DELETE /item/{id}
    Dim x As Object
    Set x = CreateObject("WinHttp.WinHttpRequest.5.1")
    x.Open "DELETE", DC_ITEM & lId & "?token=" & gToken & "&reason=" & sReason, False
    x.Send
    DC_Close = (x.Status = 200)
    If Not DC_Close Then MsgBox "Could not close http://rest.delcampe.net/item/" & lId
End Function

Public Function DC_Shipping() As String
    DC_Shipping = DC_Send("GET", "shippingModels")
End Function

Public Sub DC_Feedback(ByVal lId As Long)
    Call DC_Send("POST", "item/" & CStr(lId) & "/feedback", "feedback=100&comment=Merci")
End Sub
