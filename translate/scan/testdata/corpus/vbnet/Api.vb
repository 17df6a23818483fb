Imports System.Net

Public Class DelcampeApi
    Private ReadOnly _base As String = "https://rest.delcampe.net"

    Public Function Update(id As Long, form As String) As String
        Using client As New WebClient()
            client.Headers(HttpRequestHeader.ContentType) = "application/x-www-form-urlencoded"
            Return client.UploadString(_base & "/item/" & id, "PUT", form)
        End Using
    End Function

    Public Function Buyer(id As Long) As String
        Return New WebClient().DownloadString($"{_base}/item/{id}/buyer?token={Token}")
    End Function

    Public Function Settings() As String
        Dim request As HttpWebRequest = DirectCast(WebRequest.Create(String.Format("{0}/notification/settings", _base)), HttpWebRequest)
        request.Method = "POST"
        Return New IO.StreamReader(request.GetResponse().GetResponseStream()).ReadToEnd()
    End Function
End Class
