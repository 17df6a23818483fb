<%
Const Host = "http://rest.delcampe.net"
Dim oHttp
Set oHttp = Server.CreateObject("MSXML2.ServerXMLHTTP")
oHttp.Open "GET", Host & "/item/fixedprice/opened?token=" & Session("token"), False
oHttp.Send
Response.Write "See /item/12"
Response.Redirect "/item/" & id
%>
