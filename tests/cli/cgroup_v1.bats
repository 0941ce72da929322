#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Control groups of the hierarchy perf_event of cgroup v1. `make check-all` runs this
# file after all others: while the hierarchy is mounted, the groups of cgroup v2 count
# no events.

load common.bash

# in_v1 COMMAND...: runs COMMAND in a mount namespace where the hierarchy is mounted at
# "v 1", with the control groups a and b. The hierarchy outlives a mount that ends while
# it has groups, and a group exists for a moment after rmdir.
in_v1() {
	mkdir -p 'v 1'
	unshare -m sh -c 'mount -t cgroup -o perf_event none "v 1" &&
		mkdir "v 1/a" "v 1/b" || exit
		"$@"
		status=$?
		rmdir "v 1/a" "v 1/b"
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			sleep 0.1
			umount "v 1"
			sleep 0.1
			grep -q "^perf_event[[:blank:]]0[[:blank:]]" \
				/proc/cgroups && break
			mount -t cgroup -o perf_event none "v 1"
		done
		exit $status' sh "$@"
}

@test "live: stat: -G counts control groups of cgroup v1" {
	need root cgroup-v1
	cc -O1 -pthread -o counts "$DWELL_SOURCE/tests/peer/counts.c"
	cat >in_group <<-'END'
		echo $$ >"v 1/$1/cgroup.procs"
		shift
		exec "$@"
	END
	in_v1 "$dwell" stat -x, -o got -e page-faults,page-faults,task-clock \
		-G "a,b,$PWD/v 1/a" sh in_group a ./counts pages 2000
	cat got
	awk -F, '$4 == "a" { pages = $1 }
		$4 == "b" { other = $1 }
		$3 == "task-clock" { time = $1 }
		END { exit !(pages >= 2000 && pages < 2500 && time > 0 &&
			other == "<not counted>") }' got
	in_v1 "$dwell" stat -x, -o got --for-each-cgroup '^[ab]$' -e page-faults \
		sh in_group b ./counts pages 2000
	grep -qE '^2[0-9]{3},,page-faults,b,' got
	in_v1 "$record" -q -e page-faults -c 1 -G a -- \
		sh in_group a ./counts pages 2000
	dwell script -i dwell.data -F comm 2>/dev/null | grep -c counts >samples
	[ "$(cat samples)" -ge 2000 ]
}

@test "live: stat: -G is refused if the hierarchy of cgroup v1 is mounted only in another mount namespace" {
	need root cgroup cgroup-v1
	in_v1 sh -c 'umount -l "v 1"; "$1" stat -e page-faults -G / true
		echo $?
		mount -t cgroup -o perf_event none "v 1"' sh "$dwell" >said 2>&1
	cat said
	grep -q "the perf_event hierarchy of cgroup v1 is in use" said
	[ "$(tail -n 1 said)" = 1 ]
}
