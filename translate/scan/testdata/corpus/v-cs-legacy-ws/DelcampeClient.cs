using System;
using System.Collections.Specialized;
using System.Net;
using System.Text;
using System.Xml;

namespace Stamps.Legacy
{
    /// <summary>Calls GET /item/{id}.</summary>
    public class DelcampeClient : IDisposable
    {
        private const string Root = "http://rest.delcampe.net/";
        private static readonly string ItemUrl = Root + "item/{0}";
        private readonly WebClient _client = new WebClient { Encoding = Encoding.UTF8 };
        private string _token;

        public void Login(string key)
        {
            NameValueCollection form = new NameValueCollection { { "apikey", key } };
            byte[] bytes = _client.UploadValues(Root + "seller", form);
            XmlDocument doc = new XmlDocument();
            doc.LoadXml(Encoding.UTF8.GetString(bytes));
            _token = doc.SelectSingleNode("//token").InnerText;
        }

        public XmlDocument Item(int id)
        {
            XmlDocument doc = new XmlDocument();
            doc.Load(String.Format(ItemUrl, id) + "?token=" + _token);
            return doc;
        }

        public bool Close(int id, string reason)
        {
            HttpWebRequest request = (HttpWebRequest)WebRequest.Create(String.Format(ItemUrl + "?token={1}&reason={2}", id, _token, Uri.EscapeDataString(reason)));
            request.Method = "DELETE";
            using (WebResponse response = request.GetResponse())
                return ((HttpWebResponse)response).StatusCode == HttpStatusCode.OK;
        }

        public string Categories(int parent)
        {
            UriBuilder b = new UriBuilder(Root);
            b.Path = "category";
            b.Query = "token=" + _token + "&id_parent=" + parent;
            return _client.DownloadString(b.Uri);
        }

        public string Update(int id, NameValueCollection values)
        {
            _client.QueryString["token"] = _token;
            return Encoding.UTF8.GetString(_client.UploadValues(string.Format(ItemUrl, id), "PUT", values));
        }

        public void Dispose() { _client.Dispose(); }
    }
}
