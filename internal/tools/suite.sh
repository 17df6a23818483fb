#!/bin/sh
# suite.sh PLAIN LONGEST CHECKED READERS FLAG...
#
# Every test, as JSON for gotestsum: with the race detector, except those of the packages in PLAIN: the Makefile
# says why. The packages in LONGEST begin first. Those in CHECKED are left out: they were tested just now. READERS is one more package, and
# those of its tests that do without the race detector, too.
#
# Tests that run sellerd as a program share one build, which is made here (internal/proof/blackbox).
set -eu

plain=$1 longest=$2 checked=$3 readers=$4
shift 4

# Packages are compared by their import paths, one a line. The lists are words, so they are not quoted.
all=$(go list ./...)
without=$(go list $plain)
if [ -n "$checked" ]; then
	done_before=$(go list $checked)
	all=$(printf '%s\n' "$all" | grep -vxF "$done_before")
	without=$(printf '%s\n' "$without" | grep -vxF "$done_before")
fi
others=$(printf '%s\n' "$all" | grep -vxF "$without")

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
SELLERD_TEST_PROGRAM=$built/sellerd
export SELLERD_TEST_PROGRAM
go build -ldflags='-s -w' -o "$SELLERD_TEST_PROGRAM" ./cmd/sellerd

# The race detector waits a second at the end of every process, for goroutines that might still race. They had the whole test.
GORACE='atexit_sleep_ms=50'
export GORACE

package=${readers%% *}
readers="^($(printf '%s' "${readers#* }" | tr -s ' ' '|'))\$"

status=0
go test -json "$@" -run "$readers" "$package" || status=$?
go test -json -race "$@" -skip "$readers" $longest $others || status=$?
go test -json "$@" $without || status=$?
exit "$status"
