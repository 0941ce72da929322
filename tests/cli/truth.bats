#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings against what the recorded programs know of themselves.

load common.bash

# One recording against the shares that its workload measured.
is_true() {
	dwell record -q -e cpu-clock -F 5000 -g -o shares.data \
		"$DWELL_BUILD/tests/demo/shares" 1 >measured
	dwell report --csv --no-children -g none -s sym -i shares.data >rows
	cat measured
	awk -F'[ ,]' '
		FNR == NR { if ($1 == "share") share[$2] = $3; next }
		{ total += $4 }
		{ name = $7; for (i = 8; i <= NF; i++) name = name " " $i
		  sub(/^\[.\] /, "", name); samples[name] = $4 }
		END {
			for (name in share) {
				if (name !~ /^leaf/) continue
				p = share[name]; checked++
				error = sqrt(p * (1 - p) / total)
				got = samples[name] / total
				printf "%s: measured %.4f, sampled %.4f of %d, standard error %.4f\n",
					name, p, got, total, error
				if (got < p - 3 * error || got > p + 3 * error)
					bad = 1
			}
			exit bad || checked != 3 || total < 5000
		}' measured rows
}

# One recording of a hundred lies outside by chance; what is really wrong is
# wrong each time.
@test "live: shares that the demo workload measured, within three standard errors" {
	is_true || is_true || is_true
}

@test "live: two libraries mapped in turn at one address, each sample names the right one" {
	cc -O1 -fno-omit-frame-pointer -shared -fPIC -nostdlib \
		-DNAME=in_first "$DWELL_SOURCE/tests/cli/turn.c" -o first.so
	cc -O1 -fno-omit-frame-pointer -shared -fPIC -nostdlib \
		-DNAME=in_second "$DWELL_SOURCE/tests/cli/turn.c" -o second.so
	cc -O1 -fno-omit-frame-pointer -DDRIVER \
		"$DWELL_SOURCE/tests/cli/turn.c" -o turn
	dwell record -q -e cpu-clock -F 10000 -o turn.data \
		./turn 1000 ./first.so ./second.so >phases
	[ "$(wc -l <phases)" = 1000 ]
	dwell script -i turn.data >samples
	# A phase is "begin end name" on the clock of the samples.
	awk '
		FNR == NR { from[NR] = $1; to[NR] = $2; name[NR] = $3; n = NR; next }
		!/ in_(first|second)\+/ { next }
		{
			split($0, side, ": ")
			time = side[1]; sub(/.* /, "", time)
			while (at < n && to[at + 1] < time) at++
			# The microseconds around a switch belong to nobody.
			if (time < from[at + 1] || time > to[at + 1]) next
			looked++
			if (index($0, " " name[at + 1] "+") == 0) { wrong++; print }
		}
		END { print looked " looked at, " wrong + 0 " wrong"
		      exit wrong || looked < 1000 }' phases samples
}
