using Flurl.Http;
public class Market
{
    const string Api = "https://rest.delcampe.net";
    public Task Close(long id) => Api.AppendPathSegment("item").AppendPathSegment(id).DeleteAsync();
    public Task<string> Sold() => $"{Api}/item/auction/sold".SetQueryParams(new { startingItem = 0 }).GetStringAsync();
    public async Task Feedback(long id, int score)
    {
        var uri = new Uri(new Uri(Api), $"/item/{id}/feedback");
        using var http = new HttpClient();
        await http.PostAsync(uri, new StringContent("feedback=" + score));
    }
}
