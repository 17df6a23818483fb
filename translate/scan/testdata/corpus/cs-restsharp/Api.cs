using RestSharp;

class Api
{
    readonly RestClient client = new RestClient(Settings.Url);

    public IRestResponse Feedback(string id, int score)
    {
        var request = new RestRequest("item/{id}/feedback", Method.POST);
        request.AddUrlSegment("id", id);
        request.AddParameter("feedback", score);
        return client.Execute(request);
    }

    public IRestResponse Item(string id)
    {
        var request = new RestRequest("item/{id}");
        request.AddUrlSegment("id", id);
        return client.Execute(request);
    }

    public IRestResponse Switch(string id)
    {
        var request = new RestRequest("notification/" + id);
        request.Method = Method.PUT;
        return client.Execute(request);
    }
}

static class Settings
{
    public static string Url = "https://rest.delcampe.net";
}
