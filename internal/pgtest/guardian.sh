# Runs a PostgreSQL server for the process at the other end of standard input, and cleans up when that process is gone.
#
# usage: sh -c "$(cat guardian.sh)" guardian PATH_OF_POSTGRES FOLDER
#
# It reads one command a line and answers each with one line: "start OPTIONS", "stop" (at once, like a crash) and
# "state". At the end of the input, whatever the reason, it stops the server and removes the folder.
postgres=$1
folder=$2
server=

stop() {
	[ -n "$server" ] || return 0
	kill -QUIT "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}

while read -r command options; do
	case $command in
	start)
		# shellcheck disable=SC2086 # the options are meant to be split
		"$postgres" -D "$folder/data" -h 127.0.0.1 -c unix_socket_directories= \
			-c max_connections=200 -c shared_buffers=32MB -c jit=off $options \
			</dev/null >>"$folder/log" 2>&1 &
		server=$!
		echo started
		;;
	stop)
		stop
		echo stopped
		;;
	state)
		if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then echo running; else echo ended; fi
		;;
	esac
done
stop
cd /
rm -rf "$folder"
