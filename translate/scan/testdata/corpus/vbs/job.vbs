Option Explicit
Dim http, base
base = "http://rest.delcampe.net"
Set http = CreateObject("MSXML2.XMLHTTP")
http.open "PUT", base & "/item/" & WScript.Arguments(0), False
http.setRequestHeader "Content-Type", "application/x-www-form-urlencoded"
http.send "qty=2"
WScript.Echo "PUT /item/" & WScript.Arguments(0)
