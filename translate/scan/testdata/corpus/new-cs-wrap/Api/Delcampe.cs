namespace Coins.Api
{
    public class Delcampe : RestBase
    {
        protected override string BaseAddress { get { return "https://rest.delcampe.net/rest/"; } }

        public Task<string> Models() => Get("shippingModels");
        public Task<string> ByReference(string reference) => Get("item/reference/" + Uri.EscapeDataString(reference));
        public async Task<long> Sell(Listing l)
        {
            var xml = await Post("item", l.ToForm());
            return Parse(xml);
        }
        public Task Close(long id) => Delete(string.Concat("item/", id.ToString()), new Dictionary<string, string> { ["reason"] = "NotAvailableItem" });
    }

    public class Jira : RestBase
    {
        protected override string BaseAddress { get { return "https://jira.example.com/rest/api/2/"; } }
        public Task<string> Issue(string key) => Get("issue/" + key);
    }
}
