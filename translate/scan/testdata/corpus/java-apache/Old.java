import org.apache.http.client.methods.*;

class Old {
    static final String ROOT = "http://rest.delcampe.net/";
    void run(DefaultHttpClient client, String id) throws Exception {
        HttpGet get = new HttpGet(ROOT + "item/reference/" + URLEncoder.encode(ref, "UTF-8"));
        client.execute(get);
        HttpPost post = new HttpPost(ROOT + "item/" + id + "/feedback");
        post.setEntity(new UrlEncodedFormEntity(params));
        client.execute(post);
        HttpDelete delete = new HttpDelete(ROOT + "notification/" + id);
        client.execute(delete);
        String s = client.execute(new HttpGet("http://erp.example.org/rest/item/" + id));
    }
}
