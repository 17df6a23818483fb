// Package database is how commands reach the database, and has the commands about a whole database: migrate, copy, backup and secret.
//
//   - database.go has the flag, opens the database and makes the service's configuration for it.
//   - problem.go says what to do when the database cannot be opened, or not copied.
//   - secret.go finds the secret that a database belongs to, and replaces it.
//   - migrate.go, copy.go and backup.go are commands alone.
package database
