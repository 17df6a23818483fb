package delcampe

func routes(mux *http.ServeMux) {
	mux.HandleFunc("/item/", show)
	mux.HandleFunc("GET /item/{id}", show)
	http.HandleFunc("/category", list)
	http.Redirect(w, r, "/item/"+id, 302)
}
