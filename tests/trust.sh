#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that every test that doc/trust.md names exists, and that no line of a
# bats test is a check that cannot fail. Prints TAP.

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
		grep -qF -e "@test \"$name\" {" -e "static void $name(" \
			"$top/$path" 2>/dev/null ||
			printf '%s: %s\n' "$path" "$name"
	done
}

# rows_without_tests FILE: prints the rows "| ID | PROMISE |" without a line
# "- ID: `path: "test name"`", and such lines without a row.
rows_without_tests() {
	awk '
	/^\| [A-Z][0-9]+ \| / { rows[$2] = $0 }
	/^- [A-Z][0-9]+: `tests\/[^`]*: "[^`]*"`$/ { tests[substr($2, 1, length($2) - 1)] = $0 }
	END {
		for (id in rows)
			if (!(id in tests))
				print rows[id]
		for (id in tests)
			if (!(id in rows))
				print tests[id]
	}' "$1"
}

# negated_lines FOLDER: prints the lines "! COMMAND" of bats files and their
# helpers below FOLDER. They fail a test only if they are its last command.
negated_lines() {
	(cd "$1" && find . -name '*.bats' -o -name '*.bash' | sort |
		xargs grep -nE '^[[:space:]]*! ' /dev/null)
}

# Prints the number of bats files below FOLDER.
bats_files() {
	find "$1" -name '*.bats' | wc -l
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

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
planted=$folder/trust.md
cat >"$planted" <<'END'
| D1 | A promise. |
| D2 | A promise without a test. |

- D1: `tests/cli/record.bats: "no such test"`
END
cat >"$folder/a.bats" <<'END'
@test "a file has no text" {
	! grep text file
	run ! grep text file
	if ! grep text file; then [ ! -s file ]; fi
}
END

echo 1..8
check "names of tests are read from doc/trust.md" \
	"$([ "$(named_tests "$top/doc/trust.md" | wc -l)" -gt 20 ] && echo yes)" \
	yes
check "every test that doc/trust.md names exists" \
	"$(missing_tests "$top/doc/trust.md")" ""
check "every promise in doc/trust.md names a test" \
	"$(rows_without_tests "$top/doc/trust.md")" ""
check "the check finds a named test that does not exist" \
	"$(missing_tests "$planted")" "tests/cli/record.bats: no such test"
check "the check finds a promise without a test" \
	"$(rows_without_tests "$planted")" "| D2 | A promise without a test. |"
check "bats files are found to check" \
	"$([ "$(bats_files "$top/tests")" -gt 40 ] && echo yes)" yes
check "no line of a bats test is \"! COMMAND\" (use absent or run !)" \
	"$(negated_lines "$top/tests")" ""
check "the check finds a line \"! COMMAND\"" \
	"$(negated_lines "$folder")" "./a.bats:2:	! grep text file"
