class Modern {
    private static final URI BASE = URI.create("https://rest.delcampe.net/");
    HttpResponse<String> del(String id) throws Exception {
        var request = HttpRequest.newBuilder(BASE.resolve("item/" + id)).DELETE().build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
    HttpResponse<String> bulk(String form) throws Exception {
        HttpRequest request = HttpRequest.newBuilder()
            .uri(URI.create("https://rest.delcampe.net/items"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build();
        return client.send(request, BodyHandlers.ofString());
    }
    String reasons() {
        return webClient.get().uri("/item/closeReasons").retrieve().bodyToMono(String.class).block();
    }
}
