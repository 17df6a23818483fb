public class Jersey {
    private static final String HOST = "https://rest.delcampe.net";
    void close(String id) {
        client.target(HOST).path("item").path(id).request().delete();
    }
    String models() {
        WebTarget target = client.target(HOST).path("shippingModels");
        return target.request().get(String.class);
    }
    String buyer(long id) throws Exception {
        return IOUtils.toString(new URL(HOST + "/item/" + id + "/buyer?token=" + token).openStream(), "UTF-8");
    }
    void put(String id, Form form) {
        client.target(HOST + "/item/" + id).request().put(Entity.form(form));
    }
}
