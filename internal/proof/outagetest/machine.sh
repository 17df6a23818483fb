# One machine of docs/deploy/patroni, as the first process of namespaces of its own: when it is killed, all of the machine is gone.
#
# usage: machine.sh FOLDER, which has the machine's files and its two disks
set -eu
folder=$1
mount --bind "$folder/postgresql" /var/lib/postgresql
mount --bind "$folder/etcd" /var/lib/etcd
mount --bind "$folder/patroni" /etc/patroni
mount --bind "$folder/run" /run/postgresql
set -a
# What systemd reads as EnvironmentFile.
. "$folder/etcd.env"
. "$folder/node.env"
set +a

# runs a program as a user, and again when it ends, as systemd does
service() {
	user=$1
	shift
	while :; do
		setpriv --reuid="$user" --regid="$user" --init-groups --inh-caps=-all env HOME=/var/lib/postgresql LC_ALL=C.UTF-8 "$@" || :
		sleep 1
	done
}
service etcd etcd >>"$folder/etcd.log" 2>&1 &
service postgres patroni /etc/patroni/config.yml >>"$folder/patroni.log" 2>&1 &
service postgres sh "$folder/disk.sh" /var/lib/postgresql >>"$folder/disk.log" 2>&1 &
wait
