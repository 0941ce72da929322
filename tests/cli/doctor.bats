#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell doctor: the checks, their text and JSON, and the exit status.

load common.bash

# status_of CHECK: prints the status of a check in the JSON on standard input.
status_of() {
	python3 -c 'import json, sys
checks = json.load(sys.stdin)["checks"]
print(*(c["status"] for c in checks if c["name"] == sys.argv[1]))' "$1"
}

@test "doctor prints one line per check, without colours in a pipe" {
	run --separate-stderr "$dwell" doctor
	[ "$status" = 0 ] || [ "$status" = 1 ]
	[ -z "$stderr" ]
	for name in own_processes paranoid pmu counting own_counters rings stacks tracepoints \
		kernel_features; do
		grep -qE "^(ok|limited|no) +$name +[^ ]" <<<"$output"
	done
	[[ $output != *$'\33'* ]]
}

@test "doctor: without sysfs it still prints its checks" {
	need mount-namespace
	run unshare -m sh -c 'mount -t tmpfs none /sys && exec "$1" doctor' \
		sh "$dwell"
	[ "$status" = 0 ] || [ "$status" = 1 ]
	grep -qE '^(ok|limited|no) +pmu ' <<<"$output"
}

@test "doctor prints colours on a terminal unless NO_COLOR is set" {
	need script
	TERM=xterm NO_COLOR= script -qec "$dwell doctor" log >/dev/null \
		</dev/null || true
	grep -q $'\33\[3[123]m' log
	TERM=xterm NO_COLOR=1 script -qec "$dwell doctor" log >/dev/null \
		</dev/null || true
	run ! grep -q $'\33' log
}

@test "doctor: --json has the same checks as the text" {
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

@test "live: doctor: it reports that root and an ordinary user can record" {
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

@test "doctor: the exit status is 1 if the kernel refuses every event" {
	need seccomp
	run -1 "$DWELL_BUILD/tests/refuse" 38 "$dwell" doctor
	[[ $output == "no       own_processes    no: "*seccomp* ]]
	[[ $output == *"container "*"a seccomp filter"* ]]
}

@test "doctor: unknown arguments and options are errors" {
	run -2 --separate-stderr "$dwell" doctor me
	[[ $stderr == "dwell doctor: "*"'me'"* ]]
	run -2 "$dwell" doctor --frobnicate
	run -0 "$dwell" doctor --help
	[[ $output == "usage: dwell doctor"*--json* ]]
}
