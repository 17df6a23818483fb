var builder = WebApplication.CreateBuilder(args);
builder.Services.AddHttpClient("delcampe", c => { c.BaseAddress = new Uri("https://rest.delcampe.net/rest/"); });
builder.Services.AddHostedService<Worker>();
var app = builder.Build();
app.MapGet("/item/{id}", (long id) => Results.Ok(id));
app.MapPost("/notification/test", () => Results.NoContent());
app.Run();
