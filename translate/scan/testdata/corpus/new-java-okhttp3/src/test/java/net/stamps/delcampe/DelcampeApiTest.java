package net.stamps.delcampe;
import okhttp3.mockwebserver.*;
import org.junit.Test;
import static org.junit.Assert.*;
public class DelcampeApiTest {
    @Test public void item() throws Exception {
        MockWebServer s = new MockWebServer();
        s.enqueue(new MockResponse().setBody("<x/>"));
        RecordedRequest r = s.takeRequest();
        assertEquals("/rest/item/12?token=t", r.getPath());
    }
}
