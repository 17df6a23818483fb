#!/bin/sh
# suite.sh SEQUENTIAL LONGEST FLAG...
#
# Every test, as JSON for gotestsum: with the race detector, except those of the packages in SEQUENTIAL, which start no goroutine. The
# packages in LONGEST begin first.
set -eu

sequential=$1 longest=$2
shift 2

# Packages are compared by their import paths, one a line. The lists are words, so they are not quoted.
all=$(go list ./...)
without=$(go list $sequential)
others=$(printf '%s\n' "$all" | grep -vxF "$without")

status=0
go test -json -race "$@" $longest $others || status=$?
go test -json "$@" $sequential || status=$?
exit "$status"
