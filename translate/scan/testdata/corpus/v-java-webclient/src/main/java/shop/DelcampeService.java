package shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Service;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

@Service
public class DelcampeService {
    private final WebClient web;

    public DelcampeService(WebClient.Builder builder, @Value("${delcampe.url:https://rest.delcampe.net/rest}") String url) {
        this.web = builder.baseUrl(url).build();
    }

    public Mono<String> login(String key) {
        return web.post().uri("/seller").body(BodyInserters.fromFormData("apikey", key)).retrieve().bodyToMono(String.class);
    }

    public Mono<String> sold(String type, int start, String token) {
        return web.get()
            .uri(b -> b.path("/item/{type}/sold").queryParam("token", token).queryParam("startingItem", start).build(type))
            .retrieve().bodyToMono(String.class);
    }

    public Mono<Void> close(long id, String token) {
        return web.method(HttpMethod.DELETE)
            .uri("/item/{id}?token={token}", id, token)
            .retrieve().bodyToMono(Void.class);
    }

    public Mono<String> reference(String ref) {
        return web.get().uri("/item/reference/" + ref).exchangeToMono(r -> r.bodyToMono(String.class));
    }
}
