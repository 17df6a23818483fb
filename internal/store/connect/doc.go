// Package connect makes connections to PostgreSQL, each in three steps.
//
// Before the first one, Session.Prove finds out whether a pooler in between keeps the sessions that the URL relies on. Each connection
// then gets its settings: time limits, and what planners need to know (Session.Apply). From then on a Watch attends to it. When a
// connection has waited for two seconds, the Watch asks the server over another one whether it is still there. If the server does not
// answer, all connections to it are given up, and new ones fail at once until it answers again.
//
// The package knows neither tables nor transactions.
package connect
