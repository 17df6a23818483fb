#!/bin/sh
# Has another machine become the primary before the disk of this one is full. PostgreSQL with a full disk refuses changes and goes on,
# so that Patroni sees no failure. Run it as the user postgres (patroni-disk.service does): disk.sh FOLDER [PERCENT]
set -u
folder=$1
most=${2:-95}
while sleep 2; do
	used=$(df --output=pcent "$folder" | tr -dc 0-9)
	[ "$used" -ge "$most" ] || continue
	curl -fso /dev/null --max-time 2 http://localhost:8008/primary || continue
	echo "$folder is $used % full: another machine becomes the primary"
	timeout 30 patronictl -c /etc/patroni/config.yml switchover sellerd --primary "$PATRONI_NAME" --force
done
