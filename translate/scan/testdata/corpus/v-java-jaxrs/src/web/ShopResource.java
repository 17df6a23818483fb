package web;

import javax.ws.rs.*;

@Path("/item")
public class ShopResource {
    @GET @Path("{id}/buyer")
    public String buyer(@PathParam("id") long id) { return ""; }

    @POST @Path("/restart")
    public void restart() { }
}
