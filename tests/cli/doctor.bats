#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell doctor: what it says of this machine, and for whom.

load common.bash

# Status of one check in the JSON of standard input.
status_of() {
	python3 -c 'import json, sys
checks = json.load(sys.stdin)["checks"]
print(*(c["status"] for c in checks if c["name"] == sys.argv[1]))' "$1"
}

@test "each check is a line, without colour where nobody looks" {
	run --separate-stderr "$dwell" doctor
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[ -z "$stderr" ]
	for name in own_processes paranoid pmu rings stacks tracepoints \
		kernel_features; do
		grep -qE "^(ok|limited|no) +$name +[^ ]" <<<"$output"
	done
	[[ $output != *$'\33'* ]]
}

@test "without sysfs there are fewer answers, and no crash" {
	unshare -m true || skip "no mount namespaces here"
	run unshare -m sh -c 'mount -t tmpfs none /sys && exec "$1" doctor' \
		sh "$dwell"
	[ "$status" = 0 ] || [ "$status" = 1 ]
	grep -qE '^(ok|limited|no) +pmu ' <<<"$output"
}

@test "a terminal gets colours, but for NO_COLOR" {
	need script
	TERM=xterm NO_COLOR= script -qec "$dwell doctor" log >/dev/null \
		</dev/null || true
	grep -q $'\33\[3[123]m' log
	TERM=xterm NO_COLOR=1 script -qec "$dwell doctor" log >/dev/null \
		</dev/null || true
	run ! grep -q $'\33' log
}

@test "the JSON is sound and has the same checks" {
	need python3
	"$dwell" doctor --json >json || [ "$?" = 1 ]
	"$dwell" doctor >text || [ "$?" = 1 ]
	python3 -c 'import json
checks = json.load(open("json"))["checks"]
names = [c["name"] for c in checks]
assert len(set(names)) == len(names)
assert all(set(c) == {"name", "status", "value", "meaning", "remedy"}
           for c in checks)
lines = [l.split()[1] for l in open("text") if not l.startswith(" ")]
assert lines == names, lines'
}

@test "live: root may record, and so may an ordinary user" {
	need python3
	run -0 "$dwell" doctor --json
	[ "$(status_of own_processes <<<"$output")" = ok ]
	enter_users_folder
	run -0 as_user ./dwell-record --doctor --json
	[ "$(status_of own_processes <<<"$output")" = ok ]
	[ "$(status_of capabilities <<<"$output")" = limited ]
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
		[ "$(status_of whole_system <<<"$output")" = limited ]
	fi
	run -0 as_user prlimit --memlock=0:0 ./dwell-record --doctor
	[[ $output == *"limited  rings"*perf_event_mlock_kb=* ]]
}

@test "where the kernel refuses everything the status is 1" {
	"$DWELL_BUILD/tests/refuse" 1 true || skip "no seccomp filters here"
	run -1 "$DWELL_BUILD/tests/refuse" 38 "$dwell" doctor
	[[ $output == "no       own_processes    no: "*seccomp* ]]
	[[ $output == *"container "*"a seccomp filter"* ]]
}

@test "other words are refused" {
	run -2 --separate-stderr "$dwell" doctor me
	[[ $stderr == "dwell doctor: "*"'me'"* ]]
	run -2 "$dwell" doctor --frobnicate
	run -0 "$dwell" doctor --help
	[[ $output == "usage: dwell doctor"*--json* ]]
}
