using RestSharp;

namespace Delcampe.Client;

public interface IDelcampeClient { Task<string> ItemAsync(long id); }

public sealed class DelcampeClient : IDelcampeClient, IDisposable
{
    private static class Routes
    {
        public const string Seller = "seller";
        public const string Item = "item/{id}";
        public const string Feedback = Item + "/feedback";
        public const string Reasons = "item/closeReasons";
    }

    private readonly RestClient _client;
    private readonly string _key;

    public DelcampeClient(DelcampeOptions options)
    {
        _client = new RestClient(new RestClientOptions(options.BaseUrl) { MaxTimeout = 10_000 });
        _key = options.Key;
    }

    public async Task<string> LoginAsync()
    {
        var request = new RestRequest(Routes.Seller, Method.Post).AddParameter("apikey", _key);
        return (await _client.ExecuteAsync(request)).Content!;
    }

    public async Task<string> ItemAsync(long id) =>
        (await _client.GetAsync(new RestRequest(Routes.Item).AddUrlSegment("id", id))).Content!;

    public Task RateAsync(long saleItem, int points, string comment)
    {
        var request = new RestRequest(Routes.Feedback) { Method = Method.Post };
        request.AddUrlSegment("id", saleItem).AddParameter("feedback", points).AddParameter("comment", comment);
        return _client.ExecuteAsync(request);
    }

    public Task CloseAsync(long id, string reason)
    {
        var request = new RestRequest(Routes.Item, Method.Delete);
        request.AddUrlSegment("id", id);
        request.AddParameter("reason", reason);
        return _client.ExecuteAsync(request);
    }

    public void Dispose() => _client.Dispose();
}
