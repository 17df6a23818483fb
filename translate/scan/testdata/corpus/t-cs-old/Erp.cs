public class Erp
{
    static readonly string Root = ConfigurationManager.AppSettings["ErpRoot"];
    public string Item(int id) { return new WebClient().DownloadString(Root + "/item/" + id); }
}
