#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that every test that doc/trust.md names exists. Prints TAP.

top=${srcdir:-$(dirname "$0")/..}

# named_tests FILE: prints "PATH<tab>TEST NAME" for each `path: "test name"` in
# FILE.
named_tests() {
	grep -oE '`tests/[^`]+`' "$1" |
		sed -n 's/^`\([^:]*\): "\(.*\)"`$/\1\t\2/p'
}

# missing_tests FILE: prints the tests that do not exist.
missing_tests() {
	named_tests "$1" | while IFS='	' read -r path name; do
		grep -qF -e "@test \"$name\" {" -e "static void $name(void " \
			"$top/$path" 2>/dev/null ||
			printf '%s: %s\n' "$path" "$name"
	done
}

# rows_without_tests FILE: prints table rows that end without a test.
rows_without_tests() {
	grep -E '^\| ' "$1" | grep -v '^| Promise | Test |' |
		grep -v '"` |$'
}

number=0
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

planted=$(mktemp) || exit 1
trap 'rm -f "$planted"' EXIT
cat >"$planted" <<'END'
| Promise | Test |
| A promise. | `tests/cli/record.bats: "no such test"` |
| A promise without a test. | |
END

echo 1..5
check "doc/trust.md names tests" \
	"$([ "$(named_tests "$top/doc/trust.md" | wc -l)" -gt 20 ] && echo yes)" \
	yes
check "every test that doc/trust.md names exists" \
	"$(missing_tests "$top/doc/trust.md")" ""
check "every promise in doc/trust.md names a test" \
	"$(rows_without_tests "$top/doc/trust.md")" ""
check "a test that does not exist is found" \
	"$(missing_tests "$planted")" "tests/cli/record.bats: no such test"
check "a promise without a test is found" \
	"$(rows_without_tests "$planted")" "| A promise without a test. | |"
