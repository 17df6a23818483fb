import java.io.*;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLEncoder;
import java.util.*;

public class DelcampeSync {
    static Properties conf = new Properties();
    static final Map<String, String> PATHS = new HashMap<String, String>();
    static {
        PATHS.put("LIST_NOTIF", "/notification/settings"); 
        PATHS.put("TYPES", "/notification/types");
    }

    public static void main(String[] args) throws Exception {
        conf.load(new FileInputStream("sync.properties"));
        String token = open("POST", "/seller", "apikey=" + enc(args[0]));
        System.out.println("token ok, reading /item/auction/closed");
        String xml = open("GET", "/item/auction/closed?token=" + token, null);
        open("GET", PATHS.get("LIST_NOTIF") + "?token=" + token, null);
        open("GET", PATHS.get("TYPES"), null);
        StringBuilder sb = new StringBuilder();
        sb.append("/item/");
        sb.append(args[1]);
        sb.append("/feedback?token=").append(token);
        open("POST", sb.toString(), "feedback=100&comment=" + enc("Thanks"));
        // open("DELETE", "/item/" + args[1], null);
    }

    static String enc(String s) throws Exception { return URLEncoder.encode(s, "UTF-8"); }

    static String open(String method, String path, String body) throws IOException {
        URL url = new URL(conf.getProperty("delcampe.base") + path);
        HttpURLConnection c = (HttpURLConnection) url.openConnection();
        c.setRequestMethod(method);
        if (body != null) {
            c.setDoOutput(true);
            OutputStreamWriter w = new OutputStreamWriter(c.getOutputStream());
            w.write(body);
            w.close();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(c.getInputStream()));
        StringBuilder out = new StringBuilder();
        String line;
        while ((line = in.readLine()) != null) out.append(line);
        return out.toString();
    }
}
