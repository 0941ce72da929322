# SPDX-License-Identifier: GPL-2.0-or-later
# For files of tests that look at the same recordings: they define record_files,
# which makes these in the current folder.

load rows.bash

setup_file() {
	"$DWELL_BUILD/tests/probe" || return 0
	cd "$BATS_FILE_TMPDIR"
	record_files
}

setup() {
	enter_recordings
}

enter_recordings() {
	need_live
	cd "$BATS_FILE_TMPDIR"
}
