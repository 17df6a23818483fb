import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class Market {
    enum Path {
        SELLER("/seller"), MODELS("/shippingModels"), TIME("/server/time");
        final String value;
        Path(String value) { this.value = value; }
    }
    private static final String ROOT = "https://rest.delcampe.net/rest";
    private final HttpClient client = HttpClient.newHttpClient();

    String send(String method, String path, String form) throws Exception {
        var b = HttpRequest.newBuilder(URI.create(ROOT + path));
        b.method(method, form == null ? BodyPublishers.noBody() : BodyPublishers.ofString(form));
        return client.send(b.build(), BodyHandlers.ofString()).body();
    }

    String login(String key) throws Exception { return send("POST", Path.SELLER.value, "apikey=" + key); }
    String models() throws Exception { return send("GET", Path.MODELS.value, null); }
    String time() throws Exception { return send("GET", Path.TIME.value, null); }
    String buyer(long id) throws Exception {
        var r = HttpRequest.newBuilder().uri(URI.create(ROOT + "/item/" + id + "/buyer")).GET().build();
        return client.send(r, BodyHandlers.ofString()).body();
    }
    void close(long id) throws Exception {
        HttpRequest r = HttpRequest.newBuilder(URI.create("%s/item/%d".formatted(ROOT, id))).DELETE().build();
        client.send(r, BodyHandlers.discarding());
    }
}
