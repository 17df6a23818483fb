#!/bin/sh
# Makes this machine the standby of a primary. Run it as the user postgres while PostgreSQL is stopped here:
#
#   follow.sh FOLDER HOST PORT NAME [CONFIG]
#
# FOLDER is PostgreSQL's data here, HOST and PORT are the primary, NAME is db_1 or db_2, this machine's name in synchronous.sql.
# An empty folder gets a base backup. A folder with data, as of an old primary, is brought back by pg_rewind, which discards what only
# this folder has. The password of the role replicator is read from ~/.pgpass or the file that PGPASSFILE names.
# CONFIG is postgresql.conf, if that is not in FOLDER: on Debian /etc/postgresql/15/main/postgresql.conf. pg_rewind needs it to start the
# PostgreSQL of a machine that crashed. Afterwards start PostgreSQL.
set -eu
folder=$1
primary="host=$2 port=$3 user=replicator application_name=$4 connect_timeout=5"

if [ ! -s "$folder/PG_VERSION" ]; then
	pg_basebackup -d "$primary" -D "$folder" -X stream -c fast -R
else
	# A primary that was just promoted writes its new timeline down at a checkpoint, and pg_rewind reads it there.
	psql -X -q -d "$primary dbname=postgres" -c CHECKPOINT
	pg_rewind -D "$folder" --source-server="$primary dbname=postgres" -R ${5:+"--config-file=$5"}
fi
# Both copy the list of standbys for which the primary waits. A standby that is promoted later has no standby of its own yet and must not wait for one.
sed -i '/^synchronous_standby_names/d' "$folder/postgresql.auto.conf"
