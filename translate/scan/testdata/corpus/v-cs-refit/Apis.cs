using Refit;

namespace Shop.Apis;

public interface IDelcampe
{
    [Post("/seller")]
    Task<string> Login([Body(BodySerializationMethod.UrlEncoded)] Dictionary<string, object> form);

    [Get("/item/{id}")]
    Task<string> Item(long id, [Query] string token);

    [Put("/item/{id}")]
    Task Update(long id, [Query] string token, [Body(BodySerializationMethod.UrlEncoded)] Dictionary<string, string> fields);

    [Get("/item/{type}/opened")]
    Task<string> Opened(string type, [Query] string token, [Query] int startingItem);
}

public interface IMagento
{
    [Get("/rest/item/{sku}")]
    Task<string> Item(string sku);
}
