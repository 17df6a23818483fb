package shop;

import static org.springframework.web.reactive.function.server.RequestPredicates.*;
import static org.springframework.web.reactive.function.server.RouterFunctions.route;

class Routes {
    RouterFunction<ServerResponse> items(Handler h) {
        return route(GET("/item/{id}"), h::item).andRoute(DELETE("/item/{id}"), h::remove);
    }
}
