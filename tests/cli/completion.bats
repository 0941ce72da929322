#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Bash completion of dwell's commands and options.

load common.bash

# complete_line LINE: prints the words that bash would propose at the end of
# LINE.
complete_line() {
	bash -c '
		compopt() { :; }
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		COMP_WORDBREAKS=$3
		split=${2//:/ : }
		read -ra words <<<"${split//=/ = }"
		[[ $2 == *[[:space:]:] ]] && words+=("")
		COMP_WORDS=("$4/${words[0]}" "${words[@]:1}")
		COMP_CWORD=$((${#words[@]} - 1))
		_dwell
		printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$DWELL_SOURCE/completions/dwell.bash" "$1" "${2- :=}" \
		"$DWELL_BUILD"
}

@test "completion: events are completed, also behind commas and colons" {
	[ "$(complete_line 'dwell record -e cpu-cl')" = cpu-clock ]
	[ "$(complete_line 'dwell-record --event task-c')" = task-clock ]
	[ "$(complete_line 'dwell record -g -e cs,cpu-mig')" = \
		cs,cpu-migrations ]
	[ "$(complete_line 'dwell record -e cs:u -q --dura')" = --duration ]
	need root tracefs
	"$DWELL_BUILD/dwell" list --names >names
	grep -q '^sched:sched_switch$' names
	[ "$(complete_line 'dwell record -e sched:sched_swit')" = sched_switch ]
	[ "$(complete_line 'dwell record -e sched:sched_swit' ' ')" = \
		sched:sched_switch ]
	[ "$(complete_line 'dwell record -e cs:u,sched:sched_swit')" = \
		sched_switch ]
}

@test "completion: values are completed if there is a list of them" {
	[ "$(complete_line 'dwell record -k bo')" = boottime ]
	[ "$(complete_line 'dwell record --clockid=mono')" = \
		$'monotonic\nmonotonic_raw' ]
	[ "$(complete_line 'dwell record --switch-output=sig')" = signal ]
	[ "$(complete_line 'dwell record -a --max-size 1')" = $'100M\n1G' ]
	[ "$(complete_line 'dwell record -u roo')" = root ]
	# Other PIDs can begin with these digits.
	complete_line 'dwell record -p 1,'$$ >pids
	grep -qx "1,$$" pids
	absent grep -v "^1,$$" pids
	[ "$(complete_line 'dwell record --record-filter co')" = \
		$'comm=\ncomm!=' ]
	[ "$(complete_line 'dwell list trace')" = tracepoint ]
	[ "$(complete_line 'dwell stat -e cs,cpu-mig')" = cs,cpu-migrations ]
	[ "$(complete_line 'dwell stat -B -e cs --all-k')" = --all-kernel ]
	[ "$(complete_line 'dwell export --group-by ')" = \
		$'process\nthread\nnone' ]
	[ "$(complete_line 'dwell diff --html --group-by t')" = thread ]
}

@test "completion: files are completed behind -o and --control" {
	touch first.fifo second.fifo
	[ "$(complete_line 'dwell record -o fir')" = first.fifo ]
	[ "$(complete_line 'dwell record --control fi')" = fifo: ]
	[ "$(complete_line 'dwell record --control fifo:fir')" = first.fifo ]
	[ "$(complete_line 'dwell record --control fifo:a,sec')" = \
		a,second.fifo ]
	[ "$(complete_line 'dwell record --control=fifo:fir' '')" = \
		fifo:first.fifo ]
}

@test "completion: options are completed behind values that bash splits" {
	[ "$(complete_line 'dwell record --record-filter pid=1 --dura')" = \
		--duration ]
	[ "$(complete_line 'dwell record --control fifo:a,b --dura')" = \
		--duration ]
	[ "$(complete_line 'dwell record --switch-output --dura')" = \
		--duration ]
	[ "$(complete_line 'dwell record --filter x --dura')" = --duration ]
}

@test "completion: help is completed with the commands" {
	[ "$(complete_line 'dwell help rep')" = report ]
}
