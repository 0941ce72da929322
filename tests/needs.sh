#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that tests are skipped only for lacking requirements of tests/needs.bash:
# each name in a test has a row there, no test has another reason, and a name that
# is lacking or unknown has the right result. Prints TAP.

top=${DWELL_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
number=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# check NAME TEXT: prints a TAP line for the check. TEXT is what is wrong.
check() {
	number=$((number + 1))
	[ -z "$2" ] || printf 'not '
	echo "ok $number - $1"
	[ -z "$2" ] || echo "$2" | sed 's/^/# /'
}

# Prints the bats files and those that they load.
bats_files() {
	find "$top/tests/cli" "$top/tests/peer" "$top/tests/clients" \
		-name '*.bats' -o -name '*.bash'
}

# Prints the names that tests need, except those in variables.
needed_names() {
	bats_files | xargs sed -nE \
		-e 's/^[[:space:]]*(\[.* \|\| |if (! )?)?(need|meets) //p' \
		-e 's/^needed=\((.*)\)/\1/p' |
		sed -E 's/ \|\| .*//; s/;.*//' | tr ' ' '\n' | grep -v '["$]'
	find "$top/tests/unit" -name '*.c' -exec sed -nE \
		-e 's/.*skip_without\("([^"]*)"\).*/\1/p' \
		-e 's/.*# SKIP needs ([^\\]*).*/\1/p' {} +
	sed -nE 's/.*"needs ([a-z]+)"$/\1/p' "$top/tests/man.sh"
	sed -nE 's/.*# SKIP needs ([a-z]+)".*/\1/p' "$top"/tests/*.sh \
		"$top/tests/run-tap"
}

# Prints skips without a name.
other_skips() {
	bats_files | xargs grep -nE '(^|\|\||&&|then|;)[[:space:]]*skip( [^=]|$)'
	grep -rnE '(^|[^a-z_])skip\(\)' --include='*.c' "$top/tests/unit"
	grep -rnE '# SKIP ' --include='*.c' --include='*.sh' \
		"$top/tests/unit" "$top"/tests/[a-z]*.sh | grep -v \
		-e 'SKIP needs ' -e '"ok $number - $1 # SKIP $2"' -e 'needs.sh:'
}

if ! command -v bash >/dev/null; then
	echo "1..0 # SKIP needs bash"
	exit 0
fi
bash "$top/tests/needs.bash" names >"$out/all"
sort "$out/all" >"$out/names"
needed_names | sort -u >"$out/needed"
check "each requirement that a test names has a row in needs.bash" \
	"$([ "$(wc -l <"$out/needed")" -gt 50 ] || echo "few names were found"
	comm -23 "$out/needed" "$out/names")"
check "each requirement in needs.bash has one row with a description" \
	"$(uniq -d "$out/names"
	xargs bash "$top/tests/needs.bash" describe <"$out/names" |
		grep -vE '^[a-z0-9_.+-]+: [^ ].{9,}$')"
check "no test is skipped for a reason other than a requirement" "$(other_skips)"

if ! command -v bats >/dev/null; then
	echo "ok 4 - lacking and unknown names # SKIP needs bats"
	echo 1..4
	exit 0
fi
cat >"$out/needs.bats" <<'END'
load "$DWELL_SOURCE/tests/cli/common.bash"

@test "met" {
	need cc bats
	meets cc
}

@test "by hand" {
	need cc cpu-cache
}

@test "not live" {
	need live
}

@test "alone" {
	run -1 meets cc cpu-cache
	run -2 meets cc no-such-name
}

@test "unknown" {
	need no-such-name
}
END
DWELL_SOURCE=$top DWELL_TEST_LACKS=32bit,cpu-cache DWELL_TEST_LIVE=no \
	bats --tap "$out/needs.bats" >"$out/said" 2>&1
# result N: prints the result of test N.
result() {
	grep -E "^(not )?ok $1 " "$out/said"
}
check "a test whose requirements are met runs" \
	"$([ "$(result 1)" = "ok 1 met" ] || cat "$out/said")"
check "a requirement in DWELL_TEST_LACKS skips a test" \
	"$([ "$(result 2)" = "ok 2 by hand # skip needs cpu-cache" ] ||
		cat "$out/said")"
check "DWELL_TEST_LIVE=no skips tests that record" \
	"$([ "$(result 3)" = "ok 3 not live # skip needs live" ] ||
		cat "$out/said")"
check "outside of tests, lacking and unknown requirements have different results" \
	"$([ "$(result 4)" = "ok 4 alone" ] || cat "$out/said")"
check "a test that needs an unknown requirement fails" \
	"$([ "$(result 5)" = "not ok 5 unknown" ] &&
		grep -q 'no such name: no-such-name' "$out/said" ||
		cat "$out/said")"
echo "1..$number"
