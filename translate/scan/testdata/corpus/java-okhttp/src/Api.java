package api;

import okhttp3.*;

public class Api {
    private final OkHttpClient client = new OkHttpClient();
    private final HttpUrl base = HttpUrl.parse("https://rest.delcampe.net");

    String buyer(String id) throws Exception {
        Request request = new Request.Builder().url("https://rest.delcampe.net/item/" + id + "/buyer").build();
        try (Response r = client.newCall(request).execute()) { return r.body().string(); }
    }

    void remove(String id) throws Exception {
        RequestBody form = new FormBody.Builder().add("reason", "TestItem").build();
        Request request = new Request.Builder()
                .url(base + "item/" + id)
                .delete(form)
                .build();
        client.newCall(request).execute().close();
    }

    void create(RequestBody form) throws Exception {
        HttpUrl url = base.newBuilder().addPathSegment("item").addQueryParameter("token", token).build();
        client.newCall(new Request.Builder().url(url).post(form).build()).execute();
    }

    void toggle(long id) throws Exception {
        Request request = new Request.Builder()
                .url(String.format("%s/notification/%d", "https://rest.delcampe.net", id))
                .method("PUT", RequestBody.create(null, new byte[0]))
                .build();
        client.newCall(request).execute();
    }
}
