package shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.*;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.util.UriComponentsBuilder;

@Component
public class DelcampeGateway {
    @Value("${delcampe.url}")
    private String url;
    private final RestTemplate rest = new RestTemplate();

    public String item(long id) {
        return rest.getForObject(url + "/item/{id}", String.class, id);
    }

    public void close(long id, String reason) {
        HttpEntity<MultiValueMap<String, String>> entity = form("reason", reason);
        rest.exchange(url + "/item/" + id, HttpMethod.DELETE, entity, Void.class);
    }

    public String sold(int page) {
        String u = UriComponentsBuilder.fromHttpUrl(url).path("/item/fixedprice/sold").queryParam("startingItem", page * 100).toUriString();
        return rest.getForObject(u, String.class);
    }

    public void rate(long id, int n) {
        rest.postForEntity(url + "/item/{id}/feedback", form("feedback", "" + n), Void.class, id);
    }

    public void test(String type) {
        RequestEntity<?> e = RequestEntity.post(URI.create(url + "/notification/test")).body(form("notificationType", type));
        rest.exchange(e, Void.class);
    }
}
