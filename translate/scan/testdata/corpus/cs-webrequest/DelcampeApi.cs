using System;
using System.IO;
using System.Net;

namespace Shop
{
    /// <summary>Calls GET /item/auction/sold and others.</summary>
    public class DelcampeApi
    {
        private const string BaseUrl = "https://rest.delcampe.net";
        private string _token;

        public string Login(string key)
        {
            var request = (HttpWebRequest)WebRequest.Create(BaseUrl + "/seller");
            request.Method = "POST";
            request.ContentType = "application/x-www-form-urlencoded";
            using (var writer = new StreamWriter(request.GetRequestStream()))
            {
                writer.Write("apikey=" + key);
            }
            return Read(request);
        }

        public string GetItem(long id)
        {
            HttpWebRequest request = (HttpWebRequest)WebRequest.Create(string.Format("{0}/item/{1}?token={2}", BaseUrl, id, _token));
            return Read(request);
        }

        public string Close(long id, string reason)
        {
            string url = BaseUrl + "/item/" + id + "?token=" + _token;
            HttpWebRequest req = (HttpWebRequest)WebRequest.Create(url);
            req.Method = "DELETE";
            Console.WriteLine("DELETE /item/" + id);
            return Read(req);
        }

        public string Restart(long id)
        {
            using (var client = new WebClient())
            {
                return client.UploadString($"{BaseUrl}/item/{id}/restart?token={_token}", "");
            }
        }

        public string Types()
        {
            using (var client = new WebClient())
                return client.DownloadString(BaseUrl + "/notification/types");
        }

        private static string Read(WebRequest request)
        {
            using (var response = request.GetResponse())
            using (var reader = new StreamReader(response.GetResponseStream()))
                return reader.ReadToEnd();
        }
    }
}
