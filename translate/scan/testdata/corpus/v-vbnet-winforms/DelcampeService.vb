Imports System.Net
Imports System.Collections.Specialized
Imports System.Configuration

Public Class DelcampeService
    Private ReadOnly _root As String = ConfigurationManager.AppSettings("DelcampeRoot")
    Private _token As String

    Private Function Build(ByVal ParamArray parts() As String) As String
        Return _root.TrimEnd("/"c) & "/" & String.Join("/", parts) & "?token=" & _token
    End Function

    Public Sub Login(ByVal key As String)
        Using wc As New WebClient()
            Dim data As New NameValueCollection()
            data.Add("apikey", key)
            Dim answer = wc.UploadValues(_root & "/seller", "POST", data)
            _token = XDocument.Parse(System.Text.Encoding.UTF8.GetString(answer))...<token>.Value
        End Using
    End Sub

    Public Function OpenedAuctions(start As Integer) As String
        Using wc As New WebClient()
            Return wc.DownloadString(Build("item", "auction", "opened") & "&startingItem=" & start)
        End Using
    End Function

    Public Sub Update(id As Integer, values As NameValueCollection)
        Using wc As New WebClient()
            wc.UploadValues($"{_root}/item/{id}?token={_token}", WebRequestMethods.Http.Put, values)
        End Using
    End Sub

    Public Function Buyer(id As Integer) As String
        Dim req = DirectCast(WebRequest.Create(Build("item", id.ToString(), "buyer")), HttpWebRequest)
        req.Method = "GET"
        Using res = req.GetResponse()
            Return New IO.StreamReader(res.GetResponseStream()).ReadToEnd()
        End Using
    End Function
End Class
