<%@ Language=VBScript %>
<%
Option Explicit
Const API = "http://rest.delcampe.net/"
Dim xhr, token

Function Ask(verb, resource, data)
  Set xhr = Server.CreateObject("MSXML2.ServerXMLHTTP")
  xhr.open verb, API & resource, False
  xhr.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
  xhr.send data
  Ask = xhr.responseText
End Function

token = Ask("POST", "seller", "apikey=" & Application("key"))
Select Case Request.QueryString("do")
  Case "close"
    Ask "DELETE", "item/" & CLng(Request("id")) & "?token=" & token, "reason=TestItem"
    Response.Redirect "/item/" & Request("id")
  Case "sold"
    Response.Write Ask("GET", "item/auction/sold?token=" & token, "")
End Select
%>
<a href="/item/12">item</a>
