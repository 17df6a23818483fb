using System.Net.Http;
using System.Threading.Tasks;

public sealed class MarketplaceClient : IDisposable
{
    private readonly HttpClient _http = new HttpClient { BaseAddress = new Uri("https://rest.delcampe.net/") };

    public Task<string> SoldAsync(int start) =>
        _http.GetStringAsync($"item/auction/sold?startingItem={start}&numberOfItems=100");

    public async Task UpdateAsync(long id, Dictionary<string, string> fields)
    {
        var message = new HttpRequestMessage(HttpMethod.Put, $"item/{id}")
        {
            Content = new FormUrlEncodedContent(fields)
        };
        await _http.SendAsync(message);
    }

    public Task<HttpResponseMessage> DeleteAsync(long id) => _http.DeleteAsync("item/" + id);

    public async Task<string> CreateAsync(FormUrlEncodedContent content)
    {
        var response = await _http.PostAsync("item", content);
        return await response.Content.ReadAsStringAsync();
    }

    public void Dispose() => _http.Dispose();
}

[Route("api/[controller]")]
public class ItemController : Controller
{
    [HttpGet("/item/{id}")]
    public IActionResult Show(int id) => Redirect("/item/" + id);
}
