#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a user of perf types first: dwell alone, and commands and options of perf.

load common

@test "dwell without arguments prints the common commands and what to type first" {
	run -1 --separate-stderr dwell
	[ -z "$stderr" ]
	run -1 bash -c "dwell | awk '/^  / { print \$1 }' | paste -sd ' '
		exit \${PIPESTATUS[0]}"
	[ "$output" = "record report annotate diff doctor" ]
	run -1 dwell
	[[ ${lines[-2]} == "To begin, type: dwell record -g -- COMMAND" ]]
	[[ ${lines[-1]} == "To list all commands, type: dwell help" ]]
}

@test "dwell has each command of perf 6.1, or an error message names the replacement" {
	commands="annotate archive bench buildid-cache buildid-list c2c config
		daemon data diff evlist ftrace inject iostat kallsyms kmem kvm
		kwork list lock mem record report sched script stat test timechart
		top version probe trace"
	dwell help >help
	for command in $commands; do
		if grep -q "^  $command " help; then
			run -0 dwell "$command" --help
		else
			refuses 2 dwell "$command" --help
			[[ $line == "dwell: there is no command '$command'. Use instead: "?* ]]
		fi
	done
}

@test "each option of perf 6.1 is accepted, or an error message names the replacement" {
	# The first wrong option may be the value of a letter.
	while read -r command option; do
		case $option in
		--*) option=$option=1 ;;
		esac
		run ! --separate-stderr dwell "$command" "$option" --nonsense --nonsense
		echo "$command $option: $stderr"
		[[ $stderr != *"option '${option%=1}'"*"see --help" ]]
		[[ $stderr != *"option '${option%=1}'"*"did you mean"* ]]
	done < <(grep -v -- '-h\|--help' "$DWELL_SOURCE/tests/cli/perf_options")
}

@test "an unsupported option of perf is refused, and not taken for an abbreviation of another option" {
	refuses 2 dwell report --source
	[[ $line == *"perf's --source is not available: dwell annotate shows code"* ]]
	refuses 2 dwell stat -M ipc
	[[ $line == *"perf's -M is not available: "*"need perf stat" ]]
	# Nor does it make the abbreviation of an option ambiguous.
	refuses 2 dwell report --sourc OLD=NEW
	[[ $line == *"--source-path: 'NEW' does not exist" ]]
}
