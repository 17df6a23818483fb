package org.example.stamps;

import static com.github.tomakehurst.wiremock.client.WireMock.*;

class DelcampeFeignTest {
    void readsAnItem() {
        stubFor(get(urlPathEqualTo("/item/12")).willReturn(okXml("<Notification/>")));
        verify(getRequestedFor(urlPathEqualTo("/item/12")));
    }
}
