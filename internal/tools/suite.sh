#!/bin/sh
# suite.sh PART SYSTEM PLAIN LONGEST CHECKED READERS FLAG...
#
# The tests of PART, as JSON for gotestsum: "system" has the packages in SYSTEM, "test" the others, and "all" has all. They have the race
# detector, except the packages in PLAIN: the Makefile says why. The packages in LONGEST begin first. Those in CHECKED are left out: make
# check tests them. READERS are some packages, and those of their tests that do without the race detector, too.
#
# Tests that run sellerd as a program share one build, which is made here (internal/proof/blackbox).
set -eu

part=$1 system=$2 plain=$3 longest=$4 checked=$5 readers=$6
shift 6

# Packages are compared by their import paths, one a line. The lists are words, so they are not quoted.
all=$(go list ./...)
system=$(go list $system)
case $part in
system) all=$system longest='' readers='' ;;
test) all=$(printf '%s\n' "$all" | grep -vxF "$system") ;;
all) ;;
*)
	echo "PART is test, system or all, and not $part" >&2
	exit 2
	;;
esac
if [ -n "$checked" ]; then
	all=$(printf '%s\n' "$all" | grep -vxF "$(go list $checked)")
fi
plain=$(go list $plain)
without=$(printf '%s\n' "$all" | grep -xF "$plain")
others=$(printf '%s\n' "$all" | grep -vxF "$plain")

if [ "$part" != test ]; then
	built=$(mktemp -d)
	trap 'rm -rf "$built"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	SELLERD_TEST_PROGRAM=$built/sellerd
	export SELLERD_TEST_PROGRAM
	go build -ldflags='-s -w' -o "$SELLERD_TEST_PROGRAM" ./cmd/sellerd
fi

# The race detector waits a second at the end of every process, for goroutines that might still race. They had the whole test.
GORACE='atexit_sleep_ms=50'
export GORACE

status=0
if [ -n "$readers" ]; then
	packages=$(printf '%s' "$readers" | tr -s ' ' '\n' | grep '^\./')
	readers="^($(printf '%s' "$readers" | tr -s ' ' '\n' | grep -v '^\./' | paste -sd '|' -))\$"
	go test -json "$@" -run "$readers" $packages || status=$?
	go test -json -race "$@" -skip "$readers" $longest $others || status=$?
else
	go test -json -race "$@" $longest $others || status=$?
fi
go test -json "$@" $without || status=$?
exit "$status"
