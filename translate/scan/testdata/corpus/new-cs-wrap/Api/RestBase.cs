using System.Net.Http;
namespace Coins.Api
{
    public abstract class RestBase
    {
        private static readonly HttpClient Http = new HttpClient();
        protected abstract string BaseAddress { get; }

        protected Task<string> Get(string relative) => Send(HttpMethod.Get, relative, null);
        protected Task<string> Post(string relative, Dictionary<string, string> form) => Send(HttpMethod.Post, relative, form);
        protected Task<string> Delete(string relative, Dictionary<string, string> form) => Send(HttpMethod.Delete, relative, form);

        private async Task<string> Send(HttpMethod method, string relative, Dictionary<string, string> form)
        {
            var message = new HttpRequestMessage(method, BaseAddress + relative);
            if (form != null) message.Content = new FormUrlEncodedContent(form);
            using (var response = await Http.SendAsync(message))
            {
                return await response.Content.ReadAsStringAsync();
            }
        }
    }
}
