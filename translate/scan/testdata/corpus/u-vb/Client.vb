Public Class Client
    Private Const Base = "https://rest.delcampe.net"
    Public Async Function CloseAsync(id As Long) As Task
        Dim request As New HttpRequestMessage(HttpMethod.Delete, $"{Base}/item/{id}")
        Await _http.SendAsync(request)
        Console.WriteLine("DELETE /item/" & id)
    End Function
    Public Function Create(form As String) As String
        Dim web As New WebClient
        Return web.UploadString(Base & "/item", form)
    End Function
End Class
