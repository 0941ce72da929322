#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings compared with measurements of the recorded programs themselves.

load common.bash

# The workload measures its shares with the clock of its threads, which counts interrupts
# as well: samples in the kernel belong to the function that was interrupted. Samples
# that are in no leaf (the start of the program, and of its threads) are left out. A
# thread's clock includes time in which the machine stalled, which has no sample: the
# shares can differ by the part of the CPU time that has no sample.
@test "live: report: shares of the demo workload are right within five standard errors" {
	dwell record -q -e cpu-clock -F 5000 --call-graph fp -o shares.data \
		"$DWELL_BUILD/tests/demo/shares" 1 >measured
	dwell report --csv --children -g none -s sym -i shares.data >rows
	cat measured
	awk -F'[ ,]' '
		FNR == NR {
			if ($1 == "cpu") cpu = $2
			if ($1 == "share") share[$2] = $3
			next
		}
		FNR > 1 { total += $4; period += $5 }
		{ name = $7; for (i = 8; i <= NF; i++) name = name " " $i
		  sub(/^\[.\] /, "", name); within[name] = $6 }
		END {
			for (name in share)
				if (name ~ /^leaf/) {
					all += share[name]
					sampled += within[name]
				}
			unsampled = 1 - total / (cpu * 5000)
			if (unsampled < 0) unsampled = 0
			printf "%.4f of the samples are in leaves, %.4f of the CPU time has no sample\n",
				sampled / period, unsampled
			for (name in share) {
				if (name !~ /^leaf/) continue
				p = share[name] / all; checked++
				error = sqrt(p * (1 - p) / total)
				got = within[name] / sampled
				printf "%s: measured %.4f, sampled %.4f of %d, standard error %.4f\n",
					name, p, got, total, error
				bound = 5 * error + unsampled
				if (got < p - bound || got > p + bound)
					bad = 1
			}
			exit bad || checked != 3 || sampled < 0.9 * period ||
				unsampled > 0.5 || total < 5000
		}' measured rows
}

@test "live: report: samples in two libraries that are mapped in turn at one address have the right name" {
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
			# Samples within microseconds of a switch may be of
			# either library.
			if (time < from[at + 1] || time > to[at + 1]) next
			looked++
			if (index($0, " " name[at + 1] "+") == 0) { wrong++; print }
		}
		END { print looked " looked at, " wrong + 0 " wrong"
		      exit wrong || looked < 1000 }' phases samples
}

### CPU time without samples ##################################################

# Compiles the program spin: it enables sampling, spins for 1 s of CPU time, and
# disables sampling. With an argument it sends SIGUSR2 to its parent after each
# third. It prints the count of its own cpu-clock event.
compile_spin() {
	cat >spin.c <<-'END'
	#include <fcntl.h>
	#include <linux/perf_event.h>
	#include <signal.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>

	static long cpu_ns(void)
	{
		struct timespec t;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		return t.tv_sec * 1000000000L + t.tv_nsec;
	}

	static int is_done(int control, int ack, const char *command)
	{
		ssize_t n = strlen(command);
		char answer[4]; /* "ack\n" */

		return write(control, command, n) == n &&
			read(ack, answer, sizeof(answer)) == sizeof(answer);
	}

	int main(int argc, char **argv)
	{
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = PERF_COUNT_SW_CPU_CLOCK };
		int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		int control = open("control", O_RDWR), ack = open("ack", O_RDWR);
		long begin, first, last, i;

		if (!is_done(control, ack, "enable\n") ||
			read(fd, &first, sizeof(first)) != sizeof(first))
			return 1;
		begin = cpu_ns();
		for (i = 1; i <= 3; i++) {
			while (cpu_ns() - begin < i * 333333333L)
				;
			if (argc > 1 && i < 3)
				kill(getppid(), SIGUSR2);
		}
		if (read(fd, &last, sizeof(last)) != sizeof(last) ||
			!is_done(control, ack, "disable\n"))
			return 1;
		printf("%ld\n", last - first);
	}
	END
	cc -O1 -o spin spin.c
	mkfifo control ack
}

# record_spin FREQUENCY OPTION...: records spin, which prints to the file
# "counted".
record_spin() {
	"$record" -F "$@" >counted 2>summary
	cat summary
}

# unsampled FILE: prints the ns without a sample in the report, or 0.
unsampled() {
	"$report" --json -i "$1" >json
	sed -n 's/.*"unsampled_ns": \([0-9]*\).*/\1/p' json | grep . || echo 0
}

# covered FREQUENCY FILE...: prints the ns of samples and of time without a
# sample.
covered() {
	local file samples sum=0 period=$((1000000000 / $1))

	shift
	for file; do
		samples=$("$report" script -i "$file" -F ip | grep -c .)
		sum=$((sum + samples * period + $(unsampled "$file")))
	done
	echo "$sum"
}

# adds_up SUM: succeeds if SUM is the CPU time in the file "counted". Up to 5 %
# may be missing, because less is not reported. Sampling begins before the program
# reads its counter, and ends after that: the machine can stall between the two.
adds_up() {
	local count

	read -r count <counted
	echo "sum $1, counted $count"
	[ "$1" -ge $((count / 100 * 92)) ]
	[ "$1" -le $((count / 100 * 140)) ]
}

# The highest frequency, at most 40,000 Hz: with more, the program makes no
# progress on some machines.
high_frequency() {
	local max
	max=$(sysctl -n kernel.perf_event_max_sample_rate)
	echo $((max < 40000 ? max : 40000))
}

@test "live: record: samples and time without samples add up to a clock's own count" {
	local frequency line

	need kernel-samples
	compile_spin
	for frequency in 1000 "$(high_frequency)"; do
		record_spin "$frequency" -e cpu-clock --delay -1 \
			--control fifo:control,ack -o one.data -- ./spin
		adds_up "$(covered "$frequency" one.data)"
		"$report" --stdio -i one.data >text
		"$report" --stdio --header -i one.data >header
		"$report" --stats -i one.data >stats
		if [ "$(unsampled one.data)" = 0 ]; then
			run ! grep "has no sample" summary text header stats
			continue
		fi
		line="cpu-clock: [0-9.]* % of the CPU time ([0-9.]* of [0-9.]* s) has no sample"
		grep -q "^dwell record: $line: its timer skipped periods. Use a lower frequency (-F).$" summary
		[ "$(grep -c "^# $line$" text)" = 1 ]
		[ "$(grep -c "^# $line$" header)" = 1 ]
		[ "$(grep -c "^# $line$" stats)" = 1 ]
		"$report" pack --force -i one.data -o packed.data
		[ "$(unsampled packed.data)" = \
			"$(unsampled one.data)" ]
	done
}

@test "live: record: in all files of --switch-output, sampled and reported unsampled time are the CPU time" {
	local frequency

	need kernel-samples
	compile_spin
	frequency=$(high_frequency)
	record_spin "$frequency" -e cpu-clock --delay -1 \
		--control fifo:control,ack --switch-output -o many.data \
		-- ./spin many
	[ "$(ls many.data.* | wc -l)" -ge 2 ]
	adds_up "$(covered "$frequency" many.data.*)"
}
