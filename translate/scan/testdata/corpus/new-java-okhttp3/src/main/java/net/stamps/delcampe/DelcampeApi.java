package net.stamps.delcampe;

import java.io.IOException;
import java.util.Map;
import okhttp3.*;

/**
 * Client of the Delcampe REST API. {@code GET /rest/shippingModels} etc.
 */
public final class DelcampeApi {

    private static final HttpUrl BASE = HttpUrl.parse("https://rest.delcampe.net/rest");
    private final OkHttpClient http = new OkHttpClient();
    private String token;

    public void login(String apikey) throws IOException {
        RequestBody form = new FormBody.Builder().add("apikey", apikey).build();
        Request req = new Request.Builder()
            .url(BASE.newBuilder().addPathSegment("seller").build())
            .post(form)
            .build();
        try (Response r = http.newCall(req).execute()) {
            token = Xml.text(r.body().string(), "token");
        }
    }

    public String item(long id) throws IOException {
        HttpUrl url = BASE.newBuilder()
            .addPathSegment("item")
            .addPathSegment(Long.toString(id))
            .addQueryParameter("token", token)
            .build();
        return run(new Request.Builder().url(url).get().build());
    }

    public String restart(long id) throws IOException {
        return run(new Request.Builder().url(url("item/" + id + "/restart")).post(RequestBody.create(null, new byte[0])).build());
    }

    public String sold(boolean auction, int from) throws IOException {
        String path = auction ? "item/auction/sold" : "item/fixedprice/sold";
        return run(new Request.Builder().url(url(path) + "&startingItem=" + from).build());
    }

    public String close(long id, String reason) throws IOException {
        FormBody body = new FormBody.Builder().add("reason", reason).build();
        Request.Builder b = new Request.Builder();
        b.url(url("item/" + id));
        b.delete(body);
        return run(b.build());
    }

    private String url(String path) {
        return BASE + "/" + path + "?token=" + token;
    }

    private String run(Request r) throws IOException {
        try (Response resp = http.newCall(r).execute()) {
            return resp.body().string();
        }
    }
}
