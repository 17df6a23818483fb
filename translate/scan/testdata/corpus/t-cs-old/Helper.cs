public static class DelcampeHelper
{
    static readonly string Root = ConfigurationManager.AppSettings["DelcampeRoot"];

    public static XmlDocument Call(string verb, string path, NameValueCollection form)
    {
        using (WebClient wc = new WebClient())
        {
            byte[] answer = wc.UploadValues(Root + path, verb, form);
            var doc = new XmlDocument();
            doc.LoadXml(Encoding.UTF8.GetString(answer));
            return doc;
        }
    }

    public static void EndItem(int id) { Call("DELETE", "/item/" + id, new NameValueCollection { { "reason", "TestItem" } }); }
    public static void Bulk(NameValueCollection form) { Call("POST", "/items", form); }
    public static XmlDocument Time() { var d = new XmlDocument(); d.Load(Root + "/server/time"); return d; }
    public static void Log(string s) { File.AppendAllText("log.txt", "POST /item/" + s); }
}
