#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# memory.sh [-n PROCESSES] [-s SECONDS] [-m MEGABYTES]
#
# Records many short processes, PROCESSES (default: 10,000) spread over SECONDS
# (default: 1,800), and reads the memory of the recorder (VmRSS) once a second.
# The processes are programs of the shell, and those language runtimes that this
# machine has. Prints a line per 30th of the time: seconds, processes, and the
# largest memory in MB since the last line. Exits with status 1 if the memory
# exceeds MEGABYTES (default: 160), or if the largest memory of the last third of
# the time exceeds that of the second third by more than a tenth.
#
# `make check-memory` runs this script.
set -uo pipefail

: "${DWELL_SOURCE:=$(cd "$(dirname "$0")/.." && pwd)}"
: "${DWELL_BUILD:=$DWELL_SOURCE/build}"
export LC_ALL=C PATH=$DWELL_BUILD:$PATH
processes=10000 seconds=1800 megabytes=160

while getopts n:s:m: option; do
	case $option in
	n) processes=$OPTARG ;;
	s) seconds=$OPTARG ;;
	m) megabytes=$OPTARG ;;
	*)
		sed -n '3s/^# /usage: tests\//p' "$0" >&2
		exit 2
		;;
	esac
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
echo 0 >started

# The real interpreter, not a script that looks for one.
if command -v python3 >/dev/null; then
	python=$(python3 -c 'import sys; print(sys.executable)')
fi
cat >programs <<END
true
ls /
sh -c 'for i in 1 2 3 4 5; do :; done'
sort /etc/passwd
${python:+$python -S -E -c 'for i in range(100000): pass'}
$(command -v perl >/dev/null && echo "perl -e 'for (1..100000) {}'")
$(command -v ruby >/dev/null && echo "ruby --disable-gems -e '100000.times {}'")
END

cat >start.sh <<'END'
# start.sh PROCESSES SECONDS: starts one program after the other, at the rate that is due.
mapfile -t programs < <(grep . programs)
i=0
while ((i < $1)); do
	program=${programs[i++ % ${#programs[@]}]}
	bash -c "exec $program" >/dev/null 2>&1
	echo "$i" >started
	while ((SECONDS * $1 / $2 < i)); do
		sleep 0.1
	done
done
END

dwell record -q -e cpu-clock -F 499 -g -o a.data -- \
	bash start.sh "$processes" "$seconds" &
recorder=$!
status=0 line=0 most=0 middle=0 last=0 begin=$SECONDS
printf '%8s %10s %6s\n' seconds processes MB
while rss=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$recorder/status" 2>/dev/null) &&
	[ -n "$rss" ]; do
	time=$((SECONDS - begin))
	((most = rss > most ? rss : most))
	if ((time >= seconds)); then
		:
	elif ((time >= seconds * 2 / 3)); then
		((last = rss > last ? rss : last))
	elif ((time >= seconds / 3)); then
		((middle = rss > middle ? rss : middle))
	fi
	if ((rss > megabytes * 1024)); then
		echo "memory.sh: $((rss / 1024)) MB exceed the limit of $megabytes MB"
		status=1
		kill -INT "$recorder"
		break
	fi
	if ((time >= line)); then
		printf '%8d %10d %6d\n' $time "$(cat started)" $((most / 1024))
		((most = 0, line += (seconds + 29) / 30))
	fi
	sleep 1
done
wait "$recorder" || status=1
if ((last > middle + middle / 10)); then
	echo "memory.sh: the memory grows: $((middle / 1024)) MB in the second third" \
		"of the time, $((last / 1024)) MB in the last"
	status=1
fi
exit $status
