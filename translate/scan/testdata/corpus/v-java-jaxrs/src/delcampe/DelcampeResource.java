package delcampe;

import javax.ws.rs.client.*;
import javax.ws.rs.core.*;
import java.util.Properties;

public class DelcampeResource {
    private final WebTarget root;
    private String token;

    public DelcampeResource(Properties p) {
        Client client = ClientBuilder.newClient();
        root = client.target(p.getProperty("delcampe.url", "https://rest.delcampe.net/rest"));
    }

    public void login(String key) {
        Response r = root.path("seller").request(MediaType.APPLICATION_XML).post(Entity.form(new Form("apikey", key)));
        token = r.readEntity(String.class);
    }

    public String sold(String type, int start) {
        return root.path("item").path(type).path("sold")
            .queryParam("token", token).queryParam("startingItem", start)
            .request().get(String.class);
    }

    public void update(long id, Form form) {
        root.path("item/{id}").resolveTemplate("id", id).queryParam("token", token)
            .request().put(Entity.form(form));
    }

    public void close(long id) {
        Invocation i = root.path("item").path(String.valueOf(id)).queryParam("reason", "NotAvailableItem").request().buildDelete();
        i.invoke();
    }

    public String shipping() {
        Invocation.Builder b = root.path("/shippingModels").queryParam("token", token).request();
        return b.get(String.class);
    }
}
