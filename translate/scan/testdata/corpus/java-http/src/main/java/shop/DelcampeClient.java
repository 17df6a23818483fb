package shop;

import java.io.*;
import java.net.*;
import java.util.Map;

/**
 * Client for Delcampe. See GET /item/auction/sold.
 */
public class DelcampeClient {
    private static final String HOST = "https://rest.delcampe.net";
    private static final String ITEM = "/item/";
    private final String token;

    public DelcampeClient(String token) { this.token = token; }

    public String item(long id) throws IOException {
        URL url = new URL(HOST + ITEM + id + "?token=" + token);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        return read(connection.getInputStream());
    }

    public void close(long id, String reason) throws IOException {
        HttpURLConnection c = open("DELETE", "/item/" + id);
        write(c, "reason=" + reason);
    }

    public void update(long id, Map<String, String> fields) throws IOException {
        StringBuilder sb = new StringBuilder(HOST);
        sb.append("/item/").append(id);
        HttpURLConnection c = (HttpURLConnection) new URL(sb.toString()).openConnection();
        c.setRequestMethod("PUT");
        c.setDoOutput(true);
        write(c, encode(fields));
    }

    public String sold(int start) throws IOException {
        return read(open("GET", String.format("/item/fixedprice/sold?startingItem=%d&numberOfItems=%d", start, 100)).getInputStream());
    }

    private HttpURLConnection open(String method, String path) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL(HOST + path).openConnection();
        c.setRequestMethod(method);
        log.info("calling /item/1 " + path);
        return c;
    }
}
