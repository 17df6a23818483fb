package shop;
public class Api {
    static DelcampeService delcampe() {
        return new retrofit2.Retrofit.Builder().baseUrl("https://rest.delcampe.net/rest/").build().create(DelcampeService.class);
    }
}
