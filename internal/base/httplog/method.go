package httplog

import "net/http"

// OtherMethod stands for a method that is none of HTTP.
const OtherMethod = "…"

// Method is the method of a request as logs and recordings show it: itself if it is one of HTTP. A program may send any text as a method,
// a key too, of any length.
func Method(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
		http.MethodConnect, http.MethodTrace:
		return method
	}
	return OtherMethod
}
