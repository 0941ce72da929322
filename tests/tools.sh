#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that the programs are installed without which most tests do not run:
# bats, and cmocka when dwell was configured. If one is missing, that is a
# failure in CI (the variable CI is set) and a skip elsewhere. Prints TAP.

build=${DWELL_BUILD:-.}

# needs NUMBER NAME PACKAGE COMMAND...: prints a TAP line for NAME, of PACKAGE, which
# is a name in tests/needs.bash, too. COMMAND succeeds if it is installed.
needs() {
	line="$1 - $2"
	package=$3
	shift 3
	if "$@" >/dev/null; then
		echo "ok $line"
	elif [ -n "${CI:-}" ]; then
		echo "not ok $line"
		echo "# $package is not installed"
	else
		echo "ok $line # SKIP needs $package"
	fi
}

needs 1 "the unit tests are built" cmocka test -x "$build/tests/unit/common/util/test_bytes"
needs 2 "the tests of the programs can run" bats command -v bats
echo 1..2
