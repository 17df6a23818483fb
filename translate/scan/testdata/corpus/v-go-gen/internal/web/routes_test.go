package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestItem(t *testing.T) {
	req := httptest.NewRequest(http.MethodGet, "/item/12", nil)
	rec := httptest.NewRecorder()
	newMux().ServeHTTP(rec, req)
	res, err := http.Get(server.URL + "/item/auction/sold")
	_, _ = res, err
}
