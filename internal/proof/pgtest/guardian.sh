# Runs a PostgreSQL server for the process at the other end of standard input, and cleans up when that process is gone.
#
# usage: sh -c "$(cat guardian.sh)" guardian PATH_OF_POSTGRES FOLDER
#
# It reads one command a line and answers each with one line: "start OPTIONS", "stop" (at once, like a crash), "kill" (all its
# processes by SIGKILL), "freeze"
# (the server and all its processes stand still, as on a machine that hangs), "thaw" and "state". At the end of the input, whatever the reason, it stops the server and removes the folder.
postgres=$1
folder=$2
server=

# The server comes before its processes when it is to stand still, so that it makes no further ones meanwhile.
signal_all() {
	kill "-$1" "$server" 2>/dev/null
	# shellcheck disable=SC2046 # the processes are meant to be split
	kill "-$1" $(cat "/proc/$server/task/$server/children" 2>/dev/null) 2>/dev/null
}

stop() {
	[ -n "$server" ] || return 0
	kill -QUIT "$server" 2>/dev/null
	signal_all CONT
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
	kill)
		# shellcheck disable=SC2046 # the processes are meant to be split
		kill -KILL "$server" $(cat "/proc/$server/task/$server/children" 2>/dev/null) 2>/dev/null
		wait "$server" 2>/dev/null
		server=
		echo killed
		;;
	freeze)
		signal_all STOP
		echo frozen
		;;
	thaw)
		signal_all CONT
		echo thawed
		;;
	state)
		if [ -n "$server" ] && kill -0 "$server" 2>/dev/null; then echo running; else echo ended; fi
		;;
	esac
done
stop
cd /
rm -rf "$folder"
