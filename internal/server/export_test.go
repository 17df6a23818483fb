package server

// HTTPServer lets tests serve as Run does, without the workers.
var HTTPServer = (*Server).httpServer
