#!/bin/sh
# The last words of `make test` and `make system`: gotestsum runs this with the counts in the environment.
#
# Where PostgreSQL is required, as in CI, no test may be skipped for whatever reason. Elsewhere half of the suite may be
# missing, and that must be seen.
set -eu

if [ "${SELLERD_REQUIRE_POSTGRES:-}" != 1 ] && [ -z "${SELLERD_TEST_POSTGRES:-}" ]; then
	missing='!!! THE POSTGRESQL HALF OF THE TESTS DID NOT RUN: no PostgreSQL server is installed. !!!'
fi
echo 'The slowest packages, in seconds (several run at the same time):'
sed -n 's/.*"Action":"[a-z]*","Package":"\([^"]*\)","Elapsed":\([0-9.]*\)}$/\2\t\1/p' "$GOTESTSUM_JSONFILE" | sort -rn | head -10
if [ "$TESTS_ERRORS" -gt 0 ]; then
	echo "errors outside of tests, such as packages that do not build: $TESTS_ERRORS"
fi
if [ "${SELLERD_REQUIRE_POSTGRES:-}" = 1 ] && [ "$TESTS_SKIPPED" -gt 0 ]; then
	echo "tests were skipped, which SELLERD_REQUIRE_POSTGRES=1 does not allow"
	status=1
fi
if [ "$TESTS_TOTAL" -eq 0 ] && [ "$TESTS_ERRORS" -eq 0 ]; then
	echo 'no test ran: the rooms of v1, such as v1/trade, are tested in ./v1'
	status=1
fi
if [ -n "${SELLERD_TEST_ENGINE:-}" ]; then
	echo "on SQLite and on $SELLERD_TEST_ENGINE"
fi
echo "$((TESTS_TOTAL - TESTS_FAILED - TESTS_SKIPPED)) passed, $TESTS_FAILED failed, $TESTS_SKIPPED skipped"
if [ -n "${missing:-}" ]; then
	echo "$missing"
fi
exit "${status:-0}"
