using System;
public class DelcampeService : IDelcampeService
{
    private readonly IConfiguration _configuration;
    private readonly HttpClient _client;
    public DelcampeService(IConfiguration configuration, IHttpClientFactory factory)
    {
        _configuration = configuration;
        _client = factory.CreateClient("delcampe");
        _client.BaseAddress = new Uri(_configuration["Delcampe:BaseUrl"]);
    }
    public async Task<string> FeedbackAsync(long itemId, int score)
    {
        var content = new FormUrlEncodedContent(new Dictionary<string, string> { ["feedback"] = score.ToString(), ["comment"] = "ok" });
        var response = await _client.PostAsync($"item/{itemId}/feedback", content);
        return await response.Content.ReadAsStringAsync();
    }
    public Task<string> Category(int parent) => Send(HttpMethod.Get, $"category?idParent={parent}");
    public Task<string> Switch(int id) => Send(HttpMethod.Put, "notification/" + id);
    private async Task<string> Send(HttpMethod method, string path)
    {
        using var request = new HttpRequestMessage(method, path);
        var response = await _client.SendAsync(request);
        _logger.LogInformation("Called {Path} /item/{Id}", path, 1);
        return await response.Content.ReadAsStringAsync();
    }
}
