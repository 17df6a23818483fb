package server

import (
	"net/http"
	"net/http/pprof"

	"sellerd/v1"
)

// profilesPath is where Go's profiles are. Its tool wants them there.
const profilesPath = "/debug/pprof/"

// profiles serves Go's profiles of the process to admins, for as long as one takes: AnswerLimit is not for them. The command line is left
// out, because it can have secrets.
func (s *Server) profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(profilesPath, pprof.Index)
	mux.HandleFunc(profilesPath+"profile", pprof.Profile)
	mux.HandleFunc(profilesPath+"trace", pprof.Trace)
	mux.HandleFunc(profilesPath+"cmdline", http.NotFound)
	return http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		s.operatorOnly(v1.AdminRole, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			mux.ServeHTTP(w, asked)
		})).ServeHTTP(w, asked)
	})
}
