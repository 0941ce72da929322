#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks tests/verdict.sh: runs made test files as make does, and compares the
# verdict about each run. Prints TAP.

top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/source/tests/cli" "$folder/build/tests/cli"
cp "$top/tests/run-tap" "$top/tests/verdict.sh" "$top/tests/needs.bash" \
	"$folder/source/tests"
unset DWELL_TEST_LACKS TEST_SKIP TEST_NAME

# run_planted: runs the test file of standard input as make does, and then
# verdict.sh. Its output is in $said, "passed" or "failed" in $result.
run_planted() {
	rm -f "$folder"/build/tests/cli/* "$folder/runs"
	cat >"$folder/source/tests/cli/planted.bats"
	(cd "$folder/build" && FOLDER=$folder
	export FOLDER
	sh "$top/build-aux/tap-driver.sh" --test-name tests/cli/planted.bats \
		--log-file tests/cli/planted.log --trs-file tests/cli/planted.trs \
		--color-tests no --enable-hard-errors yes --expect-failure no -- \
		sh "$folder/source/tests/run-tap" \
		"$folder/source/tests/cli/planted.bats") >/dev/null 2>&1
	status=$(grep -c '^:test-result: [FE]' \
		"$folder/build/tests/cli/planted.trs")
	if said=$(FOLDER=$folder "$folder/source/tests/verdict.sh" \
		"$folder/build" "$status" 2>&1); then
		result=passed
	else
		result=failed
	fi
}

# Prints the number of times that the planted tests ran. They call count_run.
runs() {
	wc -l <"$folder/runs"
}
planted='
count_run() {
	echo "$BATS_TEST_NAME" >>"$FOLDER/runs"
}
is_first_run() {
	count_run
	[ "$(grep -cxF "$BATS_TEST_NAME" "$FOLDER/runs")" = 1 ]
}'

number=0
# check NAME GOT WANTED
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '%s\n---\n%s\n' "$2" "$said" | sed 's/^/# /'
	fi
}

last_lines() {
	echo "$said" | tail -n 2 | paste -sd ' ' -
}

if ! command -v bats >/dev/null; then
	echo "1..0 # SKIP needs bats"
	exit
fi
echo 1..12

run_planted <<END2
$planted
@test "live: (passes) [always] a+b" { count_run; }
@test "a fixed input" { count_run; }
END2
check "verdict: a run without a failure passes" "$result $(runs): $(last_lines)" \
	"passed 2: 0 unsteady 2 passed, 0 failed, 0 skipped"

run_planted <<END2
$planted
@test "live: fails always" { count_run; false; }
END2
check "verdict: a live test that fails three times is a failure" \
	"$result $(runs): $(last_lines)" \
	"failed 3: 0 unsteady 0 passed, 1 failed, 0 skipped"

run_planted <<END2
$planted
@test "live: (fails) [once] a+b" { ! is_first_run; }
@test "live: passes" { count_run; }
END2
check "verdict: a live test that fails once is unsteady" \
	"$result $(runs): $(last_lines)" \
	"passed 4: 1 unsteady 2 passed, 0 failed, 0 skipped"
check "verdict: an unsteady test is listed with its first output" \
	"$(cat "$folder/build/unsteady"); $(echo "$said" |
		grep -c "^unsteady: .* failed 1 of 3 times\$\|is_first_run.* failed")" \
	"tests/cli/planted.bats: live: (fails) [once] a+b; 2"

run_planted <<END2
$planted
setup_file() { ! is_first_run; }
@test "live: passes" { count_run; }
@test "live: passes, too" { count_run; }
END2
check "verdict: a setup_file of live tests that fails once is unsteady" \
	"$result: $(cat "$folder/build/unsteady")" \
	"passed: tests/cli/planted.bats: setup_file failed"

run_planted <<END2
$planted
@test "a fixed input fails once" { ! is_first_run; }
END2
check "verdict: a failed test with a fixed input has no second try" \
	"$result $(runs): $(last_lines)" \
	"failed 1: 0 unsteady 0 passed, 1 failed, 0 skipped"

echo 'int main(int n, char **v) { int a[4]; return a[n * 4 + !v]; }' \
	>"$folder/out_of_bounds.c"
if ${CC:-cc} -fsanitize=address -o "$folder/out_of_bounds" \
	"$folder/out_of_bounds.c" 2>/dev/null; then
	run_planted <<-END2
	$planted
	@test "live: a finding" { is_first_run || return 0; \$FOLDER/out_of_bounds; }
	END2
	check "verdict: a finding of a sanitizer has no second try" \
		"$result $(runs): $(last_lines)" \
		"failed 1: 0 unsteady 0 passed, 1 failed, 0 skipped"
else
	number=$((number + 1))
	echo "ok $number - verdict: a finding of a sanitizer has no second try # SKIP needs address-sanitizer"
fi

run_planted <<END2
$planted
@test "live: a crash" { is_first_run || return 0; sh -c 'kill -SEGV \$\$'; }
END2
check "verdict: a crash has no second try" "$result $(runs): $(last_lines)" \
	"failed 1: 0 unsteady 0 passed, 1 failed, 0 skipped"

run_planted <<END2
$planted
@test "live: a hang" { is_first_run || return 0; timeout 0.1 sleep 60; }
END2
check "verdict: an exceeded time limit has no second try" \
	"$result $(runs): $(last_lines)" \
	"failed 1: 0 unsteady 0 passed, 1 failed, 0 skipped"

run_planted <<END2
$planted
$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	echo "@test \"live: fails once, $i\" { ! is_first_run; }"
done)
END2
check "verdict: thirteen live tests that fail once are a failure" \
	"$result: $(last_lines)" \
	"failed: 0 unsteady 0 passed, 13 failed, 0 skipped"

run_planted <<END2
$planted
@test "a skip with a name" { skip "needs perf"; }
@test "a skip without a name" { skip "no perf here"; }
END2
check "verdict: a test skipped for a reason other than a requirement is a failure" \
	"$result: $(last_lines)" \
	"failed: 0 unsteady 0 passed, 1 failed, 1 skipped"

times=$(grep -cE '^[0-9]+\.[0-9] [0-9]+ tests/cli/planted$' "$folder/build/seconds")
check "verdict: the file seconds has the CPU time and the time of each test file" \
	"$times $(wc -l <"$folder/build/seconds")" "1 1"
