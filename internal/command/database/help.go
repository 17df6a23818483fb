package database

import "sellerd/internal/command"

// Details are what --help says of the commands beyond their flags.
var Details = command.Details{
	"migrate": {`The server does this by itself when it starts; the command is for those who want to see it happen alone. It makes
the database if it is not there.`, `
sellerd migrate
SELLERD_DB=postgres://… sellerd migrate`},
	"copy": {`It copies every row, in steps. After an end of any kind, even by kill -9, the same command goes on where it stopped. At
the end it reads both databases and compares the number of rows and a digest of every table. Until then no server
starts on the copy.

Stop the servers of the source first. While one is running, the copy has the source as it was when the command
began, and a copy that was interrupted cannot go on once copied rows have changed: the command finds that out and says so.

The copy belongs to the same secret as the source, which is not in the database: give it to the servers of the copy.
The source must have the schema of this release. Both databases must be reachable without a pooler that gives
each transaction another session. With --compare nothing is copied. Passwords are better in the variables.`, `
sellerd copy --from sqlite:data/sellerd.db --to postgres://…
SELLERD_COPY_FROM=postgres://… sellerd copy --to sqlite:shop/sellerd.db
sellerd copy --compare --from sqlite:data/sellerd.db --to postgres://…`},
	"backup": {`A server may be running: the copy is the database as it is at one moment. It is verified before it gets its name: SQLite
checks all of it, and every table has as many rows as the database had. The secret, the operator's token and the list of
letters come beside it, if they are files beside the database. Keep the folder from others: with the secret it is all
that a thief needs.

Of PostgreSQL nothing is copied. The command says what to run instead, and its exit status is 1.`, `
sellerd backup /var/backups/sellerd
sellerd backup --keep 14 /var/backups/sellerd
sellerd --env-file /etc/sellerd/sellerd.env backup /mnt/usb/sellerd-before-the-upgrade`},
	"secret": {`The secret protects cursors, the secrets of webhooks and the sessions of the old interface. A database belongs to the
one that it was first served with, and a server with another does not start.`},
	"secret replace": {`
For when the secret is lost or has leaked; if it is only missing, put it back from the backup instead. Stop all servers
of the database first. The new secret is the one that is given, else that of the file beside the database, else one that
is made. This is lost:

  * Webhooks are not signed, so nothing is sent to them, until their owners rotate their secrets. The command lists them.
  * Callers begin their lists anew: old cursors are refused.
  * Sessions of /rest end: old programs sign in again.
  * Stored answers that show a webhook's secret are deleted: such a request, sent again, is carried out anew.

Keys and the operator's token go on working. If the new secret is the one that the database belongs to already, the
command refuses. It cannot tell in a database that was last served by release 1.2.0 and has no webhooks: then it prints
"compared": false, so make sure that the secret is another.`, `
mv data/sellerd.secret data/sellerd.secret.leaked && sellerd secret replace
export SELLERD_DB=postgres://…
export SELLERD_SECRET=$(openssl rand -base64 32)   # keep it: every server needs it
sellerd secret replace`},
}
