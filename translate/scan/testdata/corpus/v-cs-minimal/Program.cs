using Shop.Delcampe;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddHttpClient<DelcampeApi>(c => c.BaseAddress = new Uri(builder.Configuration["Delcampe:BaseUrl"]!));
builder.Services.AddHttpClient("bitbucket", c => c.BaseAddress = new Uri("https://bitbucket.example.com/rest/"));
var app = builder.Build();

app.MapGet("/item/{id:long}", async (long id, DelcampeApi api) => Results.Text((await api.GetItemAsync(id)).ToString(), "text/xml"));
app.MapDelete("/item/{id:long}", async (long id, DelcampeApi api) => await api.CloseAsync(id, "TestItem"));
app.MapPost("/item/{id:long}/restart", (long id, DelcampeApi api) => api.RestartAsync(id));
app.MapGet("/repos", async (IHttpClientFactory f) => await f.CreateClient("bitbucket").GetStringAsync("item/12"));
app.Run();
