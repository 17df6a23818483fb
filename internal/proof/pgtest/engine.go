package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is about servers that somebody else has started.

// isolationLevels are the values of EnvIsolation.
var isolationLevels = []string{"read committed", "repeatable read", "serializable"}

// CheckIsolation returns an error unless level is empty or one of PostgreSQL's isolation levels that differ.
func CheckIsolation(level string) error {
	if level == "" || slices.Contains(isolationLevels, level) {
		return nil
	}
	return fmt.Errorf("the isolation level is %q, want one of: %s", level, strings.Join(isolationLevels, ", "))
}

// AtIsolation returns the address with a level that connections have unless a transaction chooses another.
func AtIsolation(address, level string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the address of the server is not a URL")
	}
	query := u.Query()
	query.Set("default_transaction_isolation", level)
	// libpq reads a plus as itself and not as a space.
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	return u.String(), nil
}

// Engine checks that tests can use the server with this admin database, and returns its name with its version and its default
// isolation level, such as "PostgreSQL 15.14 (Debian 15.14-0+deb12u1), read committed". It makes a database and drops it, as each test
// does. The error is a single line without the password.
func Engine(ctx context.Context, address string) (name string, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", errors.New("the address of the server is not a URL: want postgres://USER:PASSWORD@HOST/DATABASE")
	}
	admin, err := pgx.Connect(ctx, address)
	if err != nil {
		return "", fmt.Errorf("the server cannot be used: %s", oneLine(err))
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	var version, level, role string
	if err := admin.QueryRow(ctx, "SELECT version(), current_setting('default_transaction_isolation'), current_user::text").Scan(&version, &level, &role); err != nil {
		return "", fmt.Errorf("the server does not say what it is: %s", oneLine(err))
	}
	version, _, _ = strings.Cut(version, " on ")
	probe := "pgtest_probe_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+probe+" TEMPLATE template0"); err != nil {
		if denied := (*pgconn.PgError)(nil); errors.As(err, &denied) && denied.Code == "42501" {
			return "", fmt.Errorf("%s: the role %s may not create databases, which each test does: ALTER ROLE %[2]s CREATEDB", version, role)
		}
		return "", fmt.Errorf("%s does not create a database as each test does: %s", version, oneLine(err))
	}
	if _, err := admin.Exec(ctx, "DROP DATABASE "+probe+" WITH (FORCE)"); err != nil {
		return "", fmt.Errorf("%s does not drop a database as each test does: %s", version, oneLine(err))
	}
	return version + ", " + level, nil
}

// oneLine is the text of an error, which the driver gives several lines.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
