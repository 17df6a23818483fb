package serve

import "sellerd/internal/command"

// Details are what --help says of the commands beyond their flags.
var Details = command.Details{
	"serve": {`The first start makes the database. SIGTERM ends the server within 30 seconds.`, `
sellerd serve --demo --allow-private-targets
sellerd serve --db sqlite:/var/lib/sellerd/sellerd.db --base-url https://api.example.com
SELLERD_DB=postgres://… SELLERD_SECRET=… sellerd serve`},
	"config check": {`It takes the flags and variables of serve, reads the files that they name, and opens no database and no address. It
prints the settings that hold, with secrets masked, and where each is from. The exit status is 1 if a server would not
start with them.`, `
sellerd --env-file /etc/sellerd/sellerd.env config check
sellerd config check --json --base-url https://api.example.com`},
	"doctor": {`It takes the flags and variables of serve, and needs at most ten seconds, beside a running server or without one. Each
line is a check: ok, warn or fail, with what to do. It changes nothing. The exit status is 1 if a check fails.

It looks at: the settings, the rights of files, the disk, the time zones, the certificate, the database (its schema, its
secret, its indexes and statistics, and the settings of PostgreSQL), the clock, the base URL, what the proxies say of
callers, and the delivery of a signed webhook to itself.`, `
sellerd --env-file /etc/sellerd/sellerd.env doctor
sellerd doctor --json --base-url https://api.example.com`},
	"health": {`It prints the answer. The exit status is 0 when the server is ready, and 1 when it is not or does not answer within
3 seconds. In a Dockerfile:

    HEALTHCHECK CMD ["sellerd", "health"]`, `
sellerd health
sellerd health --url https://api.example.com/readyz`},
}
