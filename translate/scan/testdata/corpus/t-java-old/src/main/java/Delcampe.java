import java.util.Properties;
import org.apache.commons.httpclient.*;
import org.apache.commons.httpclient.methods.*;

public class Delcampe {
    private String host;
    public Delcampe(Properties p) { host = p.getProperty("delcampe.host"); }

    public String opened(int start, int n) throws Exception {
        GetMethod get = new GetMethod(host + "/item/auction/opened?startingItem=" + start + "&numberOfItems=" + n);
        new HttpClient().executeMethod(get);
        return get.getResponseBodyAsString();
    }

    public void change(long id, NameValuePair[] pairs) throws Exception {
        PutMethod put = new PutMethod(host + "/item/" + id);
        put.setQueryString(pairs);
        new HttpClient().executeMethod(put);
        LOG.info("PUT /item/" + id);
    }

    public void test(String type) throws Exception {
        PostMethod post = new PostMethod(host + "/notification/test");
        post.addParameter("notificationType", type);
        new HttpClient().executeMethod(post);
    }
}
