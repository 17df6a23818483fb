using System.Net.Http.Headers;
using System.Xml.Linq;

namespace Shop.Delcampe;

public sealed class DelcampeOptions
{
    public const string Section = "Delcampe";
    public required string BaseUrl { get; init; }
    public required string ApiKey { get; init; }
}

public sealed class DelcampeApi(HttpClient http, ILogger<DelcampeApi> log)
{
    public string? Token { get; private set; }

    public async Task LoginAsync(string apiKey, CancellationToken ct = default)
    {
        using var content = new FormUrlEncodedContent(new Dictionary<string, string> { ["apikey"] = apiKey });
        using var response = await http.PostAsync("seller", content, ct);
        var doc = await ReadAsync(response, ct);
        Token = doc.Descendants("token").First().Value;
    }

    public Task<XDocument> GetItemAsync(long id, CancellationToken ct = default) =>
        SendAsync(HttpMethod.Get, $"item/{id}", null, ct);

    public Task<XDocument> RestartAsync(long id, CancellationToken ct = default) =>
        SendAsync(HttpMethod.Post, $"item/{id}/restart", null, ct);

    public Task<XDocument> CloseAsync(long id, string reason, CancellationToken ct = default) =>
        SendAsync(HttpMethod.Delete, $"item/{id}", new() { ["reason"] = reason }, ct);

    public async IAsyncEnumerable<XElement> SoldAsync(string kind, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var start = 0; ; start += 100)
        {
            log.LogDebug("reading /item/{Kind}/sold from {Start}", kind, start);
            var doc = await SendAsync(HttpMethod.Get, $"item/{kind}/sold", new() { ["startingItem"] = start.ToString() }, ct);
            var any = false;
            foreach (var e in doc.Descendants("item")) { any = true; yield return e; }
            if (!any) yield break;
        }
    }

    private async Task<XDocument> SendAsync(HttpMethod method, string relative, Dictionary<string, string>? form, CancellationToken ct)
    {
        var query = method == HttpMethod.Get && form is not null
            ? string.Concat(form.Select(kv => $"&{kv.Key}={Uri.EscapeDataString(kv.Value)}"))
            : "";
        using var request = new HttpRequestMessage(method, $"{relative}?token={Token}{query}");
        if (method != HttpMethod.Get && form is not null) request.Content = new FormUrlEncodedContent(form);
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/xml"));
        using var response = await http.SendAsync(request, ct);
        return await ReadAsync(response, ct);
    }

    private static async Task<XDocument> ReadAsync(HttpResponseMessage response, CancellationToken ct) =>
        XDocument.Parse(await response.Content.ReadAsStringAsync(ct));
}
