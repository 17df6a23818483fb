using System.Net.Http;
using System.Net.Http.Json;

public class Worker : BackgroundService
{
    private readonly HttpClient _http;
    private readonly ILogger<Worker> _logger;
    public Worker(IHttpClientFactory f, ILogger<Worker> logger) { _http = f.CreateClient("delcampe"); _logger = logger; }

    protected override async Task ExecuteAsync(CancellationToken ct)
    {
        var xml = await _http.GetStringAsync("item/auction/closed", ct);
        foreach (var id in Ids(xml))
        {
            using var req = new HttpRequestMessage(HttpMethod.Post, $"item/{id}/restart");
            var res = await _http.SendAsync(req, ct);
            _logger.LogInformation("POST /item/{Id}/restart: {Status}", id, res.StatusCode);
        }
        var msg = new HttpRequestMessage { Method = new HttpMethod("PUT"), RequestUri = new Uri("notification/" + 12, UriKind.Relative) };
        await _http.SendAsync(msg, ct);
    }
}
