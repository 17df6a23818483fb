package shop;
class DelcampeGatewayTest {
    @Test void item() {
        server.expect(requestTo("http://stub/item/12")).andRespond(withSuccess());
        mockMvc.perform(get("/item/{id}", 12)).andExpect(status().isOk());
    }
}
