package shop;

@Service
public class MarketService {
    @Value("${delcampe.url}")
    private String delcampeUrl;

    private final RestTemplate rest = new RestTemplate();

    public String categories(String parent) {
        return rest.getForObject(delcampeUrl + "/category?idParent={p}", String.class, parent);
    }

    public void close(long id) {
        rest.delete(delcampeUrl + "/item/{id}", id);
    }

    public void update(long id, MultiValueMap<String, String> form) {
        rest.exchange(delcampeUrl + "/item/" + id, HttpMethod.PUT, new HttpEntity<>(form), String.class);
    }

    public String subscribe(MultiValueMap<String, String> form) {
        return rest.postForEntity(delcampeUrl + "/notification/settings", form, String.class).getBody();
    }

    public String login(String key) {
        UriComponentsBuilder builder = UriComponentsBuilder.fromHttpUrl(delcampeUrl).path("/seller").queryParam("apikey", key);
        return rest.postForObject(builder.toUriString(), null, String.class);
    }
}

@RestController
@RequestMapping("/item")
class ItemController {
    @GetMapping("/item/{id}")
    public String show(@PathVariable long id) { return "redirect:/item/" + id; }

    @DeleteMapping("/item/{id}")
    public void destroy(@PathVariable long id) { }
}
