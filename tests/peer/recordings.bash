# SPDX-License-Identifier: GPL-2.0-or-later
# For files of tests that look at the same recordings: they define record_files,
# which makes these in the current folder. A second try has recordings of its own.

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
	may_fail_once
	cd "$BATS_FILE_TMPDIR"
	if [ "${BATS_TEST_TRY_NUMBER:-1}" -gt 1 ]; then
		mkdir "$BATS_TEST_TMPDIR/again"
		cd "$BATS_TEST_TMPDIR/again"
		(record_files)
	fi
}
