package server

import "net/http"

// HTTPServer lets tests serve as Run does, without the workers.
var HTTPServer = (*Server).httpServer

// Drain lets tests end servers in less time.
var Drain = drain

// Around lets tests put a handler of their own behind what every request of /v1 needs.
func Around(s *Server, next http.Handler) http.Handler {
	return s.around("v1", s.config.Service.Refuse, next)
}

// KeptAnswers is how many compressed answers the server keeps.
func KeptAnswers(s *Server) (n int) {
	s.kept.byTag.Range(func(any, any) bool { n++; return true })
	return n
}
