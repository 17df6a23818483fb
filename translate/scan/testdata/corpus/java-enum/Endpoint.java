package x;
/** Delcampe endpoints */
public enum Endpoint {
    LOGIN("POST", "/seller"),
    SOLD("GET", "/item/auction/sold"),
    CLOSE("DELETE", "/item/%d"),
    MODELS("GET", "/shippingModels");

    final String method;
    final String path;

    Endpoint(String method, String path) { this.method = method; this.path = path; }

    String url() { return "https://rest.delcampe.net" + path; }
}
