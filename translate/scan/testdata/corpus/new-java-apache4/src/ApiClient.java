package de.briefmarken.delcampe;

import org.apache.http.client.methods.*;
import org.apache.http.client.utils.URIBuilder;
import org.apache.http.impl.client.*;
import org.apache.http.util.EntityUtils;
import java.net.URI;
import java.util.*;

public class ApiClient extends AbstractClient {
    protected static final String REST = "/rest";
    private final String host;

    public ApiClient(String host) { this.host = host; }

    private URI uri(String path) throws Exception {
        return new URIBuilder().setScheme("https").setHost(host).setPath(REST + path).addParameter("token", getToken()).build();
    }

    private String exec(HttpUriRequest request) throws Exception {
        try (CloseableHttpResponse r = HttpClients.createDefault().execute(request)) {
            return EntityUtils.toString(r.getEntity());
        }
    }

    public String categories(String language) throws Exception {
        return exec(new HttpGet(uri("/category")));
    }

    public String models() throws Exception {
        HttpGet get = new HttpGet(uri("/shippingModels"));
        return exec(get);
    }

    public void delete(long id) throws Exception {
        HttpDelete request = new HttpDelete(uri("/item/" + id));
        exec(request);
    }

    public void put(long id, List<NameValuePair> fields) throws Exception {
        HttpPut request = new HttpPut(uri(String.format("/item/%d", id)));
        request.setEntity(new UrlEncodedFormEntity(fields));
        exec(request);
    }

    public static void main(String[] a) throws Exception {
        ApiClient c = new ApiClient("rest.delcampe.net");
        System.out.println("GET /item/auction/sold " + c.exec(new HttpGet("https://" + c.host + "/rest/item/auction/sold")));
    }
}
