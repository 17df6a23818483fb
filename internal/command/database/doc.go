// Package database is how commands reach the database, and has the commands about a whole database: migrate, copy and secret.
//
//   - database.go has the flag, opens the database and makes the service's configuration for it; problem.go says what to do when that fails.
//   - secret.go finds the secret that a database belongs to, and replaces it.
//   - migrate.go and copy.go are commands alone; copy_problem.go says what to do when a copy fails.
package database
