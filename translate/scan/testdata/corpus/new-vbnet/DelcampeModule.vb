Imports System.Net
Imports System.Text

Module DelcampeModule
    Private ReadOnly Property Api As String = My.Settings.DelcampeApi

    Function Post(path As String, fields As Specialized.NameValueCollection) As String
        Using wc As New WebClient()
            Return Encoding.UTF8.GetString(wc.UploadValues($"{Api}/{path}", "POST", fields))
        End Using
    End Function

    Sub Main()
        Dim f As New Specialized.NameValueCollection From {{"apikey", "x"}}
        Dim token = Post("seller", f)
        Using wc As New WebClient()
            Dim xml = wc.DownloadString(Api & "/item/fixedprice/sold?token=" & token)
            wc.UploadString(String.Format("{0}/item/{1}", Api, 12), "PUT", "title=New")
            wc.UploadString(Api + "/item/" + "12", WebRequestMethods.Http.Put, "qty=2")
            wc.UploadValues(Api & "/item/12?token=" & token, "DELETE", New Specialized.NameValueCollection From {{"reason", "TestItem"}})
        End Using
        Console.WriteLine("see GET /item/fixedprice/sold")
    End Sub
End Module
