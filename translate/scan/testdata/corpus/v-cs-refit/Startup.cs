using Refit;
using Shop.Apis;

public static class Startup
{
    public static void Add(IServiceCollection services, IConfiguration config)
    {
        services.AddRefitClient<IDelcampe>().ConfigureHttpClient(c => c.BaseAddress = new Uri("https://rest.delcampe.net/rest"));
        services.AddRefitClient<IMagento>().ConfigureHttpClient(c => c.BaseAddress = new Uri(config["Magento:Url"]));
    }
}
