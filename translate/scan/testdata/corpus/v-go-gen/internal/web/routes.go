package web

import "net/http"

func routes(mux *http.ServeMux, h *handlers) {
	mux.HandleFunc("GET /item/{id}", h.item)
	mux.HandleFunc("DELETE /item/{id}", h.remove)
	mux.Handle("/category", http.HandlerFunc(h.category))
}
