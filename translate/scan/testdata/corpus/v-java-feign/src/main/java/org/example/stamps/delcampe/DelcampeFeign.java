package org.example.stamps.delcampe;

import feign.Body;
import feign.Feign;
import feign.Headers;
import feign.Param;
import feign.RequestLine;

/** OpenFeign without Spring. {@code GET /item/{id}} and friends. */
@Headers("Accept: application/xml")
public interface DelcampeFeign {

    @RequestLine("POST /seller")
    @Headers("Content-Type: application/x-www-form-urlencoded")
    @Body("apikey={key}")
    String login(@Param("key") String key);

    @RequestLine("GET /item/{id}?token={token}")
    String item(@Param("id") long id, @Param("token") String token);

    @RequestLine("GET /item/{type}/closed?token={token}&startingItem={start}")
    String closed(@Param("type") String type, @Param("token") String token, @Param("start") int start);

    @RequestLine("DELETE /notification/{id}?token={token}")
    void unsubscribe(@Param("id") int id, @Param("token") String token);

    static DelcampeFeign connect() {
        return Feign.builder().target(DelcampeFeign.class, "https://rest.delcampe.net/rest");
    }
}
