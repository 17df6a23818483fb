using System;
using System.Collections.Generic;
using System.Configuration;
using System.IO;
using System.Net;
using System.Text;
using System.Xml.Linq;

namespace StampShop.Gateways
{
    /// <summary>
    /// Gateway to Delcampe. See <c>/rest/item/{id}</c>.
    /// </summary>
    public class DelcampeGateway : GatewayBase
    {
        private static readonly string BaseUrl = ConfigurationManager.AppSettings["DelcampeUrl"];
        private string _token;

        public void Login(string apiKey)
        {
            var doc = Send("seller", "POST", new Dictionary<string, string> { { "apikey", apiKey } });
            _token = doc.Root.Element("Notification_Data").Element("body").Element("token").Value;
        }

        public XDocument GetItem(long id) { return Send("item/" + id, "GET", null); }

        public XDocument GetItems(string kind, string state)
        {
            return Send(string.Format("item/{0}/{1}?token={2}", kind, state, _token), "GET", null);
        }

        public void Close(long id, string reason)
        {
            Send(String.Format("item/{0}", id), "DELETE", new Dictionary<string, string> { { "reason", reason } });
        }

        public void Update(long id, IDictionary<string, string> fields)
        {
            Send($"item/{id}?token={_token}", WebRequestMethods.Http.Put, fields);
        }

        public XDocument Reasons()
        {
            return Send("item/closeReasons", "GET");
        }

        private XDocument Send(string path, string method, IDictionary<string, string> form = null)
        {
            var request = (HttpWebRequest)WebRequest.Create(BaseUrl + path);
            request.Method = method;
            request.Timeout = 30000;
            if (form != null)
            {
                var sb = new StringBuilder();
                foreach (var kv in form)
                {
                    if (sb.Length > 0) sb.Append("&");
                    sb.Append(kv.Key).Append("=").Append(Uri.EscapeDataString(kv.Value));
                }
                var bytes = Encoding.UTF8.GetBytes(sb.ToString());
                request.ContentType = "application/x-www-form-urlencoded";
                using (var stream = request.GetRequestStream()) stream.Write(bytes, 0, bytes.Length);
            }
            using (var response = request.GetResponse())
            using (var reader = new StreamReader(response.GetResponseStream()))
                return XDocument.Parse(reader.ReadToEnd());
        }
    }
}
