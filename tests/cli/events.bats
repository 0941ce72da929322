#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Event names of -e, and messages about invalid ones. Parsing has unit tests;
# here events are opened. Tests named "live" take samples.

load common.bash

# build_hit [FLAG...]: compiles a program that calls step() as often as its
# argument.
build_hit() {
	"${CC:-cc}" -O1 "$@" -o hit "$DWELL_SOURCE/tests/cli/hit.c"
}

# samples [TEXT]: prints the number of samples, or of those with TEXT, such as
# an event or a symbol.
samples() {
	"$report" script -i dwell.data 2>/dev/null |
		grep -c "${1:-: }" || true
}

# points EVENT: prints the error message, which points into the event name.
points() {
	run -2 --separate-stderr "$record" -e "$1" true
	[ "$stderr" = "$(printf 'dwell record: -e: %s\n  %s\n  %s' \
		"$2" "$1" "$3")" ]
}

@test "record: -e: carets below the message mark the wrong part of an event name" {
	points 'cpu-clok' \
		"there is no event 'cpu-clok'; did you mean 'cpu-clock'?" \
		'^^^^^^^^'
	points 'cs,cpu-clock:q' "there is no modifier 'q'; use u, k, h, \
G, H, I, p, P, D, e, S or W" \
		'             ^'
	points 'cycles/perid=3/' \
		"there is no term 'perid'; did you mean 'period'?" \
		'       ^^^^^'
	[ ! -e dwell.data ]
}

@test "record: -e: the message about an error in a long list shows only the text around the error" {
	many=$(printf 'cs,%.0s' $(seq 100))
	run -2 --separate-stderr "$record" -e "${many}nonsense,${many}cs" true
	[ "${#stderr_lines[@]}" = 3 ]
	[ "${#stderr_lines[1]}" -lt 120 ]
	[ "${stderr_lines[1]:$((${#stderr_lines[2]} - 8)):8}" = nonsense ]
}

@test "live: record: an uprobe samples each call of a function, and with %return each return" {
	need root
	build_hit
	"$record" -q -c 1 -e uprobe:./hit:step ./hit 777
	[ "$(samples 'uprobe:./hit:step:')" = 777 ]
	"$record" -q -e 'uprobe:./hit:step%return' ./hit 778
	[ "$(samples 'uprobe:./hit:step%return:')" = 778 ]
	# On one CPU, because each CPU counts for itself.
	"$record" -q -e 'uprobe:./hit:step/period=7,name=seventh/u' \
		taskset -c 0 ./hit 777
	[ "$(samples seventh:)" = 111 ]
}

@test "live: record: a program that has an uprobe can create processes, and their calls are sampled" {
	need root
	build_hit
	run -0 --separate-stderr "$record" -e uprobe:./hit:step \
		bash -c './hit 5; (./hit 6); exec ./hit 7'
	[[ $stderr != *"Bad address"* ]]
	[[ ${stderr_lines[0]} == "dwell record: uprobe:./hit:step: the probe \
slows down all processes that run this code"*"To record only existing threads: -i" ]]
	[ "$(samples 'uprobe:./hit:step:')" = 18 ]
	run -0 --separate-stderr "$record" -i -e uprobe:./hit:step ./hit 5
	[[ $stderr != *"slows down"* ]]
	"$record" -q -e uprobe:./hit:step/no-inherit/ \
		bash -c './hit 5; exec ./hit 7'
	[ "$(samples 'uprobe:./hit:step/')" = 7 ]
}

@test "live: record: an uprobe at an offset in the file samples the same calls as one at the symbol" {
	need root
	need nm
	build_hit -no-pie -Wl,-Ttext-segment=0x400000
	address=$(nm hit | sed -n 's/ T step$//p')
	"$record" -q -e "uprobe:./hit:$(printf 0x%x \
		$((0x$address - 0x400000)))" ./hit 33
	[ "$(samples)" = 33 ]
}

@test "live: record: an uprobe on a missing symbol or file is refused with a message that marks it" {
	need root
	build_hit
	run -2 "$record" -e uprobe:./hit:stap ./hit
	[[ $output == *"./hit has no symbol 'stap'; did you mean 'step'?"* ]]
	run -1 "$record" -e uprobe:./gone:step ./hit
	[[ $output == *"./gone: No such file or directory"*"
         ^^^^^^" ]]
	run -1 "$record" -e uprobe:/etc/passwd:step ./hit
	[[ $output == *"/etc/passwd: not an ELF file"* ]]
	[ ! -e dwell.data ]
}

# hits N EVENT: runs a program that triggers a breakpoint N times.
hits() {
	"$record" -q -e "$2" ./hit "$1" || return 2
	[ "$(samples "$2:")" = "$1" ]
}

@test "live: record: mem:SYMBOL samples each access to a variable and each call of a function" {
	need breakpoint
	build_hit -no-pie
	hits 55 mem:counter:w:u
	hits 56 mem:step:x:u
}

@test "live: record: mem:SYMBOL works in a position-independent command" {
	need breakpoint
	build_hit -fPIE -pie
	hits 55 mem:counter:w:u
	hits 56 mem:step:x:u
	run -2 --separate-stderr "$record" -e mem:countr:w:u ./hit
	[[ $stderr == *"no symbol 'countr'"* ]]
}

@test "live: record: mem:SYMBOL samples the command with -a, and nothing before the delay of -D ends" {
	need root
	need breakpoint
	build_hit -fPIE -pie
	"$record" -q -a -e mem:counter:w:u ./hit 57
	[ "$(samples mem:counter:w:u:)" = 57 ]
	"$record" -q -D 60000 -e mem:counter:w:u ./hit 58
	[ "$(samples mem:counter:w:u:)" = 0 ]
}

@test "live: record: -e with a glob leaves out tracepoints that the kernel refuses, and names them" {
	need root tracefs x86_64 perf
	run -0 --separate-stderr "$record" \
		-e 'ftrace:[fp]*,irq_vectors:irq_work_e*' true
	[[ $stderr == *"ftrace:function is not recorded: it is every function"* ]]
	[[ $stderr == *"irq_vectors:irq_work_exit is not recorded: taking"* ]]
	perf evlist -i dwell.data >events
	grep -qx irq_vectors:irq_work_entry events
	run ! grep -e function -e exit events
}

@test "live: record: -e with a glob records each matching tracepoint with its format" {
	need root tracefs
	"$record" -q -e 'sched:sched_process_*/name=x/' -o x.data true
	"$record" -q -e '*:sched_process_e[xz]*' sh -c '/bin/true; /bin/true'
	[ "$(samples sched:sched_process_exec:)" = 3 ]
	[ "$(samples sched:sched_process_exit:)" = 3 ]
	meets perf || return 0
	perf script -i dwell.data >text
	grep -q 'sched_process_exec: filename=/bin/true' text
	perf script -i x.data >text
	grep -q ' x: .*comm=' text
}

@test "live: record: -e accepts a frequency and call-graph=no for each event" {
	"$record" -q -F 50 --call-graph fp -e cpu-clock/freq=2000,name=fast/u \
		-e cpu-clock/call-graph=no,name=slow/u \
		awk 'BEGIN { while (i < 1e7) i++ }'
	[ "$(samples fast:)" -gt "$((4 * $(samples slow:)))" ]
	"$report" script -i dwell.data >text
	[ "$(grep -A2 slow: text | grep -c $'^\t')" -le "$(samples slow:)" ]
}

### Filters and call chains ####################################################

@test "record: --filter is refused without a tracepoint before it" {
	run -2 --separate-stderr "$record" -e cs --filter 'a == 1' true
	[[ $stderr == *"'cs' is not a tracepoint"* ]]
	run -2 --separate-stderr "$record" --filter 'a == 1' -e cs true
	[[ $stderr == *"--filter: no -e before it"* ]]
}

@test "live: record: --filter restricts the samples of the -e before it" {
	need root tracefs
	"$record" -q -e sched:sched_process_exec \
		--filter 'filename ~ "*/true"' -e sched:sched_process_exit \
		sh -c '/bin/true; /bin/false; /bin/true'
	[ "$(samples sched:sched_process_exec:)" = 2 ]
	[ "$(samples sched:sched_process_exit:)" = 4 ]
	"$record" -q -e sched:sched_process_exec --filter 'filename ~ "*true"' \
		--filter 'pid == 1 || filename ~ "*false"' \
		sh -c '/bin/true; /bin/false; /bin/true'
	[ "$(samples sched:sched_process_exec:)" = 0 ]
}

@test "live: record: carets below the message mark the wrong part of a --filter" {
	need root tracefs
	run -2 --separate-stderr "$record" -e sched:sched_switch \
		--filter 'prev_pid > 1 && (nxt_pid == 0)' true
	[ "$stderr" = "dwell record: --filter: sched:sched_switch has no field \
'nxt_pid'; did you mean 'next_pid'?
  prev_pid > 1 && (nxt_pid == 0)
                   ^^^^^^^" ]
	run -2 --separate-stderr "$record" -e sched:sched_switch \
		--filter 'prev_pid = 1' true
	[[ $stderr == *"the kernel rejected this filter"*"are == "* ]]
}

@test "live: record: --exclude-perf leaves out samples of the recorder itself" {
	need root perf syscall-tracepoints
	for event in 'syscalls:sys_enter_w*' cpu-clock/period=100000/; do
		for option in --no-exclude-perf --exclude-perf; do
			"$record" -q -a -m 4M -e "$event" $option \
				--duration 1 &
			started=$!
			wait $started
			perf script -i dwell.data -F pid 2>/dev/null |
				grep -cw "$started" >count$option || true
		done
		[ "$(cat count--no-exclude-perf)" -gt 0 ]
		[ "$(cat count--exclude-perf)" = 0 ]
	done
}

@test "live: record: --max-stack and the options for kernel or user frames limit call chains" {
	need root tracefs
	chains() {
		"$record" -q -a -e 'sched:sched_switch' "$@" --duration 0.5
		"$report" script -i dwell.data >text
	}
	chains --call-graph fp --max-stack 3
	[ "$(awk '/^\t/ { n++; if (n > most) most = n } /^$/ { n = 0 }
		END { print most }' text)" -le 3 ]
	grep -q $'^\t' text
	chains --call-graph fp --user-callchains
	run ! grep -q '^.*(\[kernel.kallsyms\])' <(grep $'^\t' text)
	chains --call-graph fp --kernel-callchains
	grep $'^\t' text | grep -q 'kernel.kallsyms'
	run ! grep -v 'kernel\|\[' <(grep $'^\t' text)
	run -2 "$record" --user-callchains --kernel-callchains true
	run -2 "$record" --all-user --all-kernel true
	run -1 "$record" --max-stack 60000 true
	[[ $output == *"sysctl kernel.perf_event_max_stack=60000"* ]]
}

@test "live: record: --all-user and --all-kernel override the modifiers of events" {
	need perf
	"$record" -q -e cpu-clock:k -e cs --all-user true
	[ "$(perf evlist -v -i dwell.data | grep -v dummy |
		grep -c 'exclude_kernel: 1')" = 2 ]
	need root
	"$record" -q -e cpu-clock:u -e cs --all-kernel true
	[ "$(perf evlist -v -i dwell.data | grep -v dummy |
		grep -c 'exclude_user: 1')" = 2 ]
}

### dwell list #################################################################

@test "list: only the events that match the argument are printed, as text and JSON" {
	run -0 --separate-stderr "$dwell" list --all CPU-CLOCK
	[[ $output == software$'\n'*cpu-clock*"a timer of the CPU" ]]
	run -0 "$dwell" list --all 'cpu-m*'
	[ "${#lines[@]}" = 2 ]
	run -0 --separate-stderr "$dwell" list --all sw
	[[ $output == software$'\n'*cpu-clock* && $output != *:* ]]
	run -0 "$dwell" list --json --all mem:
	[[ $output == *'"kind": "breakpoint"'* ]]
	if command -v python3 >/dev/null; then
		"$dwell" list --json 2>/dev/null |
			python3 -c 'import json, sys; json.load(sys.stdin)'
	fi
	run -1 --separate-stderr "$dwell" list no-such-thing
	[[ $stderr == "dwell list: no event matches 'no-such-thing'"* ]]
	run -2 "$dwell" list one two
	run -0 "$dwell" list --help
	[[ $output == "usage: dwell list"* ]]
}

@test "live: list: each event that is listed as usable can be recorded" {
	"$dwell" list --json |
		sed -n 's/^{"kind": "[hcs][aaoa].*", "name": "\([^"]*\)", "desc.*"usable": true}.*/\1/p' \
			>usable
	grep -qx cpu-clock usable
	while read -r event; do
		echo "$event"
		"$record" -q -e "$event:u" true
	done <usable
	"$dwell" list --json |
		sed -n 's/^{"kind": "hardware", "name": "\([^"]*\)", "desc.*"usable": false}.*/\1/p' \
			>unusable
	while read -r event; do
		[ "$event" = cycles ] || run ! "$record" -q -e "$event:u" true
	done <unusable
}
