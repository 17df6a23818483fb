#!/bin/sh
# quick.sh BASE LONG: tests what a change can break, on SQLite and without the race detector.
#
# The change is what differs from the common ancestor with the commit BASE, with what is not committed. Its packages are tested first, then the
# package of the folder above, which has most tests of the rooms of v1, then those that depend on them: the fewer packages of this repository a
# test is made of, the earlier. No package begins after QUICK (40) seconds. Those left, and the packages in LONG, are for `make test` and
# `make system`; the last line counts them.
set -eu

limit=${QUICK:-40}
base=$(git merge-base HEAD "$1" 2>/dev/null || git rev-parse HEAD)
folders=$({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } |
	sed 's|/testdata/.*|/|; s|/[^/]*$||' | sort -u | while read -r folder; do
	while [ ! "$(find "$folder" -maxdepth 1 -name '*.go' 2>/dev/null)" ] && [ "$folder" != "${folder%/*}" ]; do folder=${folder%/*}; done
	echo "$folder"
done | sort -u)

# A line for each test: its package, and how many packages of this repository it is made of; 0 for a package of the change, 1 for the one above.
affected=$(go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | awk -v folders="$folders" '
	BEGIN {
		n = split(folders, folder, "\n")
		for (i = 1; i <= n; i++) { name = "sellerd/" folder[i]; changed[name] = 1; sub(/\/[^\/]*$/, "", name); above[name] = 1 }
	}
	$1 ~ /\.test$/ {
		sub(/\.test$/, "", $1); own = 0; hit = 0
		for (i = 2; i <= NF; i++) { own += $i ~ /^sellerd/; hit += $i in changed }
		if ($1 in changed) print 0, $1; else if (hit) print $1 in above ? 1 : own + 1, $1
	}' | sort -n | cut -d' ' -f2)
long=$(go list $2)

echo 'These packages are tested, the nearest first; the first run compiles them, which takes minutes:'
printf '%s\n' "$affected" | grep -vxF "$long" | head -20 || true
started=$(date +%s) passed=0 failed=0
# Two at a time keep two cores busy.
for pair in $(printf '%s\n' "$affected" | grep -vxF "$long" | paste -sd ',\n' -); do
	[ $(($(date +%s) - started)) -lt "$limit" ] || break
	packages=$(echo "$pair" | tr ',' ' ') count=$(echo "$pair" | tr ',' '\n' | grep -c .)
	if SELLERD_TEST_POSTGRES=none SELLERD_REQUIRE_POSTGRES=0 go test -vet=off $packages; then
		passed=$((passed + count))
	else
		failed=$((failed + count))
	fi
done
all=$(printf '%s\n' "$affected" | grep -c . || true)
echo "$((passed + failed)) of $all packages that the change can break were tested; make test and make system have the rest."
[ "$failed" -eq 0 ]
