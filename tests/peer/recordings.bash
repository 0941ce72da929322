# SPDX-License-Identifier: GPL-2.0-or-later
# For test files that use the same recordings: they define record_files, which
# makes the recordings in the current folder, and in the array "needed" what it needs
# beside the right to record (tests/needs.bash).

load rows.bash

needed=()

# While perf and dwell read a system-wide recording, other programs end and
# their files are replaced. Tests compare only rows of programs that no other
# test runs: copies of commands, with the suffix $own.
own=${BATS_RUN_TMPDIR##*-}
own_comms=

# own_programs COMMAND...: makes COMMAND.$own in the current folder.
own_programs() {
	local command

	for command; do
		cp "$(type -P "$command")" "$command.$own"
	done
}

# The names of these programs, and that of the idle threads.
for command in sh ls sort gzip wc awk chain; do
	own_comms=$own_comms$command.$own,
done
own_comms=${own_comms}swapper

setup_file() {
	meets live "${needed[@]}" || return 0
	cd "$BATS_FILE_TMPDIR"
	record_files
}

setup() {
	enter_recordings
}

enter_recordings() {
	need live "${needed[@]}"
	cd "$BATS_FILE_TMPDIR"
}
