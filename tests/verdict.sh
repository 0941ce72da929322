#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# verdict.sh BUILD [STATUS]
#
# Collects the results of the tests that ran in the build folder BUILD, decides
# whether the run passed, and prints why. STATUS is the exit status of make.
#
# A test that records ("live ...") and failed runs again, alone, twice. If a try
# passes, the test is unsteady: it counts as passed and is listed with the output
# of its first failure. There is no second try, and the run fails, for
#
#   - a test without a recording: its input is fixed
#   - a finding of a sanitizer, a crash, or a time limit that was exceeded
#   - more than 12 failed live tests: no result of the tries could pass
#   - a skipped test whose reason is no name of tests/needs.bash
#
# Writes BUILD/quickstart.results, one line per case with tabs between result,
# file, name and reason, BUILD/unsteady, one line "FILE: NAME" per unsteady test,
# and BUILD/seconds, one line "CPU-SECONDS SECONDS FILE" per test file, the one with
# the most CPU time first. The last line is a summary. The exit
# status is 0 if the run passed, 1 if it failed, and 2 if there is no verdict.
set -uo pipefail

build=$(cd "$1" && pwd) || exit 2
make_status=${2:-0}
source=$(cd "$(dirname "$0")/.." && pwd)
results=$build/quickstart.results
max=12 n_unsteady=0 n_failed=0

first=$(mktemp) && again=$(mktemp) && changed=$(mktemp) || exit 2
trap 'rm -f "$first" "$again" "$changed"' EXIT

# Prints one line per case of all logs, with tabs between: result, file, name,
# reason. tap-driver.sh writes a line with the result behind each TAP line.
collect() {
	local trs
	find "$build/tests" -name '*.trs' | sort | while read -r trs; do
		awk -v test="${trs#"$build/"}" '
		BEGIN { sub(/\.trs$/, "", test) }
		/^(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS): / &&
				substr($2, 1, length(test)) == test {
			result = $1
			sub(/:$/, "", result)
			file = $2
			sub(/^[A-Z]+: [^ ]+ ?/, "")
			sub(/^[0-9]+ /, "")
			sub(/^- /, "")
			reason = ""
			if (match($0, / # SKIP/)) {
				reason = substr($0, RSTART + 8)
				$0 = substr($0, 1, RSTART - 1)
			} else if (result == "SKIP") {
				reason = $0
				$0 = "all of it"
			}
			gsub(/\t/, " ")
			gsub(/\t/, " ", reason)
			print result "\t" file "\t" $0 "\t" reason
		}' "${trs%.trs}.log"
	done
}

# Prints "CPU-SECONDS SECONDS FILE" of each log. run-tap writes the times.
collect_seconds() {
	find "$build/tests" -name '*.trs' | while read -r trs; do
		sed -nE "s,^# run-tap: ([0-9]+) seconds\, ([0-9.]+) .*,\2 \1 ${trs#"$build/"},p" \
			"${trs%.trs}.log"
	done | sed 's/\.trs$//' | sort -rn
}

# count RESULT...: prints the number of cases with one of these results.
count() {
	awk -F '\t' -v wanted=" $* " 'index(wanted, " " $1 " ") { n++ }
		END { print n + 0 }' "$results"
}

# log_of FILE NAME: prints the output of the failed case NAME: at most 15 lines
# before its result, and the lines behind it.
log_of() {
	local log=$build/${1%.*}.log
	awk -v name="$2" '
	/^(PASS|FAIL|SKIP|ERROR|XFAIL|XPASS): / {
		shown = 0
		line = $0
		sub(/^[A-Z]+: [^ ]+ ?([0-9]+ )?(- )?/, "", line)
		if (/^(FAIL|ERROR): / && line == name) {
			for (i = n > 15 ? n - 14 : 1; i <= n; i++)
				print held[i]
			shown = found = 1
		}
		n = 0
		next
	}
	/^(not )?ok / { shown = 0 }
	shown { print }
	{ held[++n] = $0 }
	END { exit !found }' "$log" || tail -n 30 "$log"
}

print_first() {
	head -n 45 "$first" | sed 's/^/    /'
}

is_live() { # FILE NAME
	case $2 in
	live[!a-z]*) ;;
	"setup_file failed") grep -q '^@test "live:' "$source/$1" ;;
	*) false ;;
	esac
}

# final OUTPUT: succeeds and prints a reason if the failure in the file OUTPUT
# decides the run at once. Exit statuses above 128 are those of the signals of a
# crash; 124 is that of timeout(1).
final() {
	if grep -qE '(Address|Leak|Memory|Thread|UndefinedBehavior)Sanitizer|: runtime error: ' "$1"
	then
		echo "a finding of a sanitizer"
	elif grep -qE '(status|got) 13[234569]\b|Segmentation fault|\(core dumped\)|Bus error|Test failed with exception' "$1"
	then
		echo "a crash"
	elif grep -qE '(status|got) 124\b|^Bail out!' "$1"; then
		echo "a time limit, or the end of the test program"
	else
		return 1
	fi
}

# run_again FILE NAME: runs the case NAME alone, with its output in $again.
# Succeeds if it passes. If the set-up of a file failed, the whole file runs.
run_again() {
	local file=$source/$1 name=$2
	[ -e "$file" ] || file=$build/$1
	[ "$name" != "setup_file failed" ] || name=
	(cd "$build" && DWELL_BUILD=$build DWELL_SOURCE=$source \
		PATH=$build:$PATH TEST_TIMEOUT=600 TEST_NAME=$name \
		sh "$source/tests/run-tap" "$file") >"$again" 2>&1 </dev/null
	awk -v name="$name" '
	/^Bail out!/ { bad = 1 }
	/^(not )?ok [0-9]+ - / {
		line = $0
		sub(/^(not )?ok [0-9]+ - /, "", line)
		if (name != "" && line != name)
			next
		if (/^not/)
			bad = 1
		else
			passed++
	}
	END { exit bad || !passed }' "$again"
}

# judge FILE NAME: returns 0 if the failed test is unsteady, with a text in $verdict.
judge() {
	local passes=0
	log_of "$1" "$2" >"$first"
	verdict=
	if ! is_live "$1" "$2"; then
		return 1
	elif verdict=$(final "$first"); then
		return 1
	elif [ "$n_live_failed" -gt $max ]; then
		verdict="one of $n_live_failed failed live tests"
		return 1
	fi
	for _ in 1 2; do
		if run_again "$1" "$2"; then
			passes=$((passes + 1))
		elif verdict=$(final "$again"); then
			cp "$again" "$first"
			return 1
		fi
	done
	verdict="failed $((3 - passes)) of 3 times"
	[ $passes != 0 ]
}

# Judges each failed test, and writes the results again.
judge_all() {
	local result file name reason
	n_live_failed=$(while IFS=$'\t' read -r result file name _; do
		[ "$result" = FAIL ] && is_live "$file" "$name" && echo
	done <"$results" | wc -l)
	while IFS=$'\t' read -r result file name reason; do
		case $result in
		FAIL | ERROR | XPASS)
			if judge "$file" "$name"; then
				result=UNSTEADY
				n_unsteady=$((n_unsteady + 1))
				echo "$file: $name" >>"$build/unsteady"
				echo "unsteady: $file: $name: $verdict"
			else
				n_failed=$((n_failed + 1))
				echo "FAILED: $file: $name${verdict:+: $verdict}"
			fi
			print_first ;;
		SKIP)
			if ! is_permitted "$reason"; then
				result=FAIL
				n_failed=$((n_failed + 1))
				echo "FAILED: $file: $name: skipped without a name of tests/needs.bash: ${reason:-no reason}"
			fi ;;
		esac
		printf '%s\t%s\t%s\t%s\n' "$result" "$file" "$name" "$reason" >>"$changed"
	done <"$results"
	cat "$changed" >"$results"
}

# is_permitted REASON: succeeds if a test may be skipped for REASON.
is_permitted() {
	case $1 in
	"left out by TEST_SKIP") ;;
	"needs "*) grep -qxF -e "${1#needs }" <<<"$names" ;;
	*) false ;;
	esac
}

# Prints each requirement that this machine or build lacks, with the number of
# tests that were skipped.
print_lacks() {
	awk -F '\t' '$1 == "SKIP" { n[$4]++ }
		END { for (reason in n) print n[reason] "\t" reason }' "$results" |
		sort -rn | while IFS=$'\t' read -r n reason; do
		case $reason in
		"needs "*) reason=$(bash "$source/tests/needs.bash" \
			describe "${reason#needs }") ;;
		esac
		echo "skipped $n: $reason"
	done
}

: >"$build/unsteady"
names=$(bash "$source/tests/needs.bash" names)
collect >"$results"
collect_seconds >"$build/seconds"
if [ ! -s "$results" ] || { [ "$make_status" != 0 ] &&
	[ "$(count FAIL ERROR XPASS)" = 0 ]; }; then
	n_failed=1
	echo "FAILED: make (status $make_status); the end of ${build##*/}/check.log:"
	tail -n 30 "$build/check.log" 2>/dev/null | sed 's/^/    /'
fi
# make's own number of cases: a file without results must not vanish.
told=$(awk '/^# TOTAL: / { n += $3 } END { print n + 0 }' "$build/check.log" \
	2>/dev/null)
if [ -e "$build/check.log" ] &&
	[ "$told" != "$(count PASS FAIL SKIP ERROR XFAIL XPASS)" ]; then
	n_failed=$((n_failed + 1))
	echo "FAILED: make ran $told cases, and the logs have another number"
fi
judge_all
if [ "$n_unsteady" -gt $max ]; then
	n_failed=$((n_failed + 1))
	echo "FAILED: more than $max tests are unsteady"
fi
print_lacks
sed 's/^/unsteady: /' "$build/unsteady"
echo "$(awk -F '\t' '$1 ~ /^(PASS|UNSTEADY)$/ && $3 ~ /^live([^a-z]|$)/ { n++ }
	END { print n + 0 }' "$results") tests recorded live"
echo "$n_unsteady unsteady"
echo "$(count PASS XFAIL UNSTEADY) passed, $n_failed failed, $(count SKIP) skipped"
[ "$n_failed" = 0 ]
