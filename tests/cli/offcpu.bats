#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Off-CPU time: reports of made recordings, and programs that measure their own
# off-CPU time.

load common.bash

setup_file() {
	cc -O1 -g -fno-omit-frame-pointer -o "$BATS_FILE_TMPDIR/away" \
		"$DWELL_SOURCE/tests/cli/away.c" -lpthread
}

make_data() {
	"$DWELL_BUILD/tests/made/make_data" "$@"
}

# Prints the text of the recording, to be changed.
made() {
	cat "$DWELL_SOURCE/tests/made/offcpu.txt"
}

rows() {
	"$report" report --csv "$@" | tail -n +2 | cut -d, -f1,4,5,7- | sort
}

@test "report: --off-cpu prints time by state and by the place where the wait began" {
	made | make_data - a.data
	rows --off-cpu --no-children -s state,sym a.data >out
	diff out - <<-'END'
		off-CPU time,1,300,preempted,[.] 0x0000000000004000
		off-CPU time,1,400,runnable,[.] 0x0000000000003000
		off-CPU time,2,1300,blocked,[.] 0x0000000000003000
	END
	"$report" report --off-cpu --no-children a.data >out
	grep -q "^# Time: 0.000001 s blocked, 0.000000 s runnable, \
0.000000 s preempted; 3 switches; 1 of them lasted until the recording ended$" out
	grep -q "'off-CPU time'" out
	# Callers have the off-CPU time of their callees.
	rows --off-cpu -s state,sym a.data >out
	grep -q "blocked,\[.\] 0x0000000000002000" out
	"$report" report --off-cpu --children --csv -s sym a.data >out
	grep -q '^off-CPU time,85.0000,0.0000,0,0,1700,.*2000$' out
}

@test "report: --off-cpu prints times with units, and with -t in nanoseconds" {
	made | make_data - a.data
	run -0 dwell report --off-cpu --stdio -s state --no-children -g none a.data
	[[ $output == *"# Thread time: 2.00 us (1 thread, 2.24 us)"* ]]
	[[ $output == *"
    65.00%       1.30 us  blocked
    20.00%        400 ns  runnable
    15.00%        300 ns  preempted"* ]]
	run -0 dwell report --off-cpu -t'|' -s state --no-children -g none a.data
	[[ $output == *"
65.00%|1300|blocked
"* ]]
	run -0 dwell report --off-cpu --stdio -s state -g folded,caller,period \
		a.data
	[[ $output == *"
1.30 us 0x2000;0x3000"* ]]
	run -0 dwell diff -c delta-abs --off-cpu --stdio -p -s state a.data a.data
	[[ $output == *"a.data (Baseline): 4 samples, total time 2.00 us
"*"1.30 us"*"1.30 us"* ]]
}

# A recording in which the waits begin in the kernel. The caller in user space
# is 0x2000 of a program with names, and none for the last wait.
waiting() {
	made | sed 's/chain=user,0x3000,0x2000/chain=kernel,0xffffffff81000000,0xffffffff81000100,user,0x2000,0x1000/
		s/chain=user,0x4000/chain=kernel,0xffffffff81000000/
		s/ ip=0x[34]000/ misc=kernel ip=0xffffffff81000000/
		s,^record COMM .*,&\nrecord MMAP2 pid=7 tid=7 addr=0x1000 len=0x2000 pgoff=0x1000 prot=5 maj=8 ino=9 filename=/bin/made time=1 event=3,'
}

@test "report: --off-cpu: waits_in is the innermost function in user space" {
	waiting | make_data - w.data
	rows --off-cpu --no-children -s state,waits_in w.data >out
	diff out - <<-'END'
		off-CPU time,1,300,preempted,[none]
		off-CPU time,1,400,runnable,0x0000000000002000 in made
		off-CPU time,2,1300,blocked,0x0000000000002000 in made
	END
	# On a CPU, it is the sampled function.
	rows --wall --no-children -s state,waits_in w.data >out
	grep '^wall time,1,250,on,0x0000000000001000 in made$' out
	# It is shown by default if callers have no rows.
	run -0 dwell report --wall --stdio --no-children -g none w.data
	[[ $output == *"  Symbol "*"  Waits In"* ]]
	[[ $output == *"blocked "*"0x0000000000002000 in made"* ]]
	run -0 dwell report --off-cpu --stdio --children w.data
	[[ $output != *"Waits In"* ]]
	# Filters by function, and parents, do not remove it.
	rows --off-cpu --no-children -s state,waits_in,parent -p . w.data >out
	grep '^off-CPU time,2,1300,blocked,0x0000000000002000 in made,' out
	# Each thread of the scan has its own contexts.
	dwell diff --off-cpu --csv -q -s waits_in w.data w.data |
		grep '0x0000000000002000 in made'
}

@test "report: --off-cpu: a recording with switches but without any event is refused" {
	local type way

	for type in FORK EXIT SWITCH SWITCH_CPU_WIDE LOST; do
		make_data - none.data <<<"file pipe
record $type"
		for way in --off-cpu --wall; do
			refuses 1 dwell report $way none.data
			[ "$line" = "dwell report: none.data: no events in the recording" ]
		done
	done
}

@test "report: --wall prints the time on and off the CPU" {
	made | make_data - a.data
	rows --wall --no-children -s state a.data >out
	prints wall <out
	"$report" report --wall --json a.data >out
	grep -q '"time": {"on_ns": 250, "blocked_ns": 1300, "runnable_ns": 400, "preempted_ns": 300, "switches": 3, "open": 1, "brief": 0, "lost": 0, "unknown": 0}' out
	# Stacks of flame graphs end with the thread's state.
	"$report" export --format svg --wall a.data >out.svg
	grep -q '<title>\[blocked\]: 57.78 %, 1.30 us, 2 samples</title>' out.svg
	grep -q '<title>\[preempted\]: 13.33 %, 0.30 us, 1 sample</title>' out.svg
	grep -q '>wall time: 5 samples, Thread time: 2.25 us (1 thread, 2.24 us)<' out.svg
	"$report" export --format folded --wall a.data >out
	prints wall-2 <out
}

@test "report: --off-cpu: --min-block leaves out shorter waits" {
	made | make_data - a.data
	rows --off-cpu --min-block 500ns --no-children -s state a.data >out
	diff out - <<-'END'
		off-CPU time,1,400,runnable
		off-CPU time,2,1300,blocked
	END
	"$report" report --off-cpu --min-block 1us a.data >out
	grep -q "; 2 too short to count" out
	refuses 2 "$report" report --off-cpu --min-block 5 a.data
	[[ $line == *"--min-block: '5' is not a time"* ]]
	refuses 2 "$report" report --min-block 5ms a.data
	[[ $line == *"--min-block requires --off-cpu or --wall"* ]]
	# If all samples are filtered, that is the reason.
	for verb in report "export --format svg" "export --format folded"; do
		run -0 --separate-stderr dwell $verb --off-cpu --min-block 1s a.data
		[[ $stderr == *": no off-CPU time is as long as --min-block: 3 shorter times were left out"* ]]
	done
	run -0 --separate-stderr dwell report --off-cpu --time 90000,90001 a.data
	[[ $stderr == *"no sample passes the filters"* ]]
}

@test "report: --off-cpu: --tid selects waits" {
	made | make_data - a.data
	rows --off-cpu --no-children -s state --tid 7 a.data | grep -c . >n
	[ "$(cat n)" = 3 ]
	rows --off-cpu --no-children -s state --tid 8 a.data >out
	[ ! -s out ]
}

# The waits of tests/made/waits.txt from 2 s to 3 s: samples,ns,comm,state.
cut_rows='1,100000000,begin,blocked
1,100000000,end,preempted
1,1000000000,around,blocked
1,1000000000,ready,runnable
1,200000000,begin,runnable
1,200000000,inside,blocked'

@test "report: --off-cpu and --wall: --time cuts waits at both ends of the range" {
	make_data "$DWELL_SOURCE/tests/made/waits.txt" w.data
	rows --off-cpu --no-children -s comm,state --time 2,3 w.data |
		cut -d, -f2- >out
	diff out - <<<"$cut_rows"
	# Time on a CPU belongs to its sample.
	rows --wall --no-children -s comm,state --time 2,3 w.data |
		cut -d, -f2- >out
	diff out - <<<"1,1000000,before,on
$cut_rows"
	run -0 dwell report --off-cpu --no-children --stdio -g none \
		-s state --time 2,3 w.data
	[[ $output == *"# Time: 1.300000 s blocked, 1.200000 s runnable, \
0.100000 s preempted; 5 switches
"*"# Thread time: 2.60 s (5 threads, 1.00 s)"* ]]
	# Without an end, and with several ranges.
	rows --off-cpu --no-children -s state --time 3.5, w.data >out
	diff out - <<-'END'
		off-CPU time,1,100000000,runnable
		off-CPU time,2,500000000,blocked
	END
	rows --off-cpu --no-children -s state --time "2.15,2.45 2.95,3.1" w.data >out
	diff out - <<-'END'
		off-CPU time,1,150000000,preempted
		off-CPU time,2,500000000,blocked
		off-CPU time,2,600000000,runnable
	END
	# --min-block is about the whole wait.
	rows --off-cpu --no-children -s comm --min-block 300ms --time 2,3 w.data \
		>out
	diff out - <<-'END'
		off-CPU time,1,100000000,end
		off-CPU time,1,1000000000,around
		off-CPU time,1,1000000000,ready
		off-CPU time,2,300000000,begin
	END
	# The ranges add up to the whole.
	for range in 0,2 2,3 3,9; do
		rows --off-cpu --no-children -s state --time $range w.data
	done | awk -F, '{ sum[$4] += $3 } END { for (state in sum)
		printf "%.0f,%s\n", sum[state], state }' | sort >sums
	rows --off-cpu --no-children -s state w.data | cut -d, -f3- | sort |
		diff - sums
}

@test "report: --off-cpu: switches without samples are cut at the ends of --time" {
	grep -v -e "SAMPLE event=[12]" -e "raw=" -e "chain=user,0x3" \
		"$DWELL_SOURCE/tests/made/waits.txt" |
		sed 's/name=context-switches/& exclude_kernel/' |
		make_data - w.data
	rows --off-cpu --time 2,3 w.data 2>/dev/null | cut -d, -f2,3,5- >out
	diff out - <<-'END'
		1,100000000,end,10
		1,1000000000,around,11
		1,1000000000,ready,12
		1,200000000,inside,9
		1,300000000,begin,8
	END
}

@test "report: --off-cpu: a wait counts in each step of --time-quantum that it covers" {
	make_data "$DWELL_SOURCE/tests/made/waits.txt" w.data
	rows --off-cpu --no-children -s comm,time --time-quantum 1s w.data |
		cut -d, -f2- >out
	# It is one sample, in the first step; each state is one.
	diff out - <<-'END'
		0,1000000000,around,2.000000
		0,1000000000,ready,2.000000
		0,200000000,end,3.000000
		0,400000000,ready,3.000000
		1,100000000,before,3.000000
		1,100000000,end,2.000000
		1,1000000000,around,3.000000
		1,1000000000,ready,1.000000
		1,200000000,begin,1.000000
		1,200000000,inside,2.000000
		1,300000000,begin,2.000000
		1,500000000,before,1.000000
		1,500000000,ready,0.000000
		1,900000000,around,1.000000
	END
}

@test "export and diff: --time cuts waits as dwell report does" {
	make_data "$DWELL_SOURCE/tests/made/waits.txt" w.data
	local of="--off-cpu --time 2,3"

	# shellcheck disable=SC2086
	{
		dwell export --format folded $of w.data >out
		diff <(sed 's/.*;//' out) - <<-'END'
			[blocked] 1300000000
			[preempted] 100000000
			[runnable] 1200000000
		END
		dwell export --format svg $of w.data >out
		grep -q '<title>\[runnable\]: 46.15 %, 1.20 s, 2 samples</title>' out
		dwell export --format callgrind $of w.data >out
		grep -q '^totals: 6 2600000000$' out
		dwell export --format json $of w.data >out
		grep -q '"event": "off-CPU time", "samples": 6, "period": 2600000000}' out
		# In the order of time: from the start of the range.
		dwell export --format speedscope $of w.data | tr -d '\n' >out
		grep -o '"around 7/11[^}]*' out | grep -q \
			'"endValue": 1000000000,.*"weights": \[1000000000\]$'
		dwell export --format firefox $of w.data | tr -d '\n' >out
		grep -o '"weight": \[[^]]*' out | sort >weights
		diff weights - <<-'END'
			"weight": [100.000000
			"weight": [100.000000,200.000000
			"weight": [1000.000000
			"weight": [1000.000000
			"weight": [200.000000
		END
		dwell diff --csv -q -s state $of w.data w.data >out
	}
	cat out
	grep -q 1300000000 out
}

# Begins a recording of sum_sample.
sums_head() {
	cat <<-'END'
		file
		event name=cpu-clock type=software config=0 ids=1 sample_period=1000
		 sample_id_all sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN
		event name=offcpu-waits type=software config=10 ids=2 sample_period=1
		 sample_id_all sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN|RAW
		feature EVENT_DESC events
		record COMM pid=7 tid=7 comm=made time=1
	END
}

# sum_sample TIME CHAIN: 300 ms of blocked waits that were added up, of thread 7.
sum_sample() {
	echo "record SAMPLE event=1 misc=kernel ip=0xffffffff81000000 pid=7 tid=7
	 time=$1 period=300000000 chain=kernel,0xffffffff81000000,user,$2
	 raw=01000000010000000300000000000000$(printf 00a3e11100000000%032d 0)\
00e1f50500000000$(printf %08d 0)"
}

@test "report: --off-cpu: a sum of short waits counts in proportion to the range" {
	# The waits of a sum are in the second before its time.
	{
		sums_head
		sum_sample 2000000000 0x1000
		sum_sample 2000000000 0x2000
	} | make_data - s.data
	"$report" report --off-cpu --csv --no-children -s waits_in \
		--time 1.9,2 s.data | cut -d, -f5 | tail -n +2 >out
	diff out - <<<$'30000000\n30000000'
	run -0 dwell report --off-cpu --csv --no-children -s tid s.data
	[[ $output == *,600000000,600000000,* ]]
}

@test "report: --off-cpu: a wait of no time counts as a switch only if it is in --time" {
	{
		sums_head
		sum_sample 2000000000 0x1000
		sum_sample 9000000000 0x1000 |
			sed -e 's/period=[0-9]*/period=0/' \
				-e 's/raw=\(.\{32\}\).*/raw=\1/' \
				-e "/raw=/s/\$/$(printf %072d 0)/"
	} | make_data - z.data
	run -0 dwell report --off-cpu --no-children --stdio -g none -s state \
		--time 1,2 z.data
	[[ $output == *" preempted; 3 switches"* ]]
	run -0 dwell report --off-cpu --no-children --stdio -g none -s state \
		z.data
	[[ $output == *" preempted; 6 switches"* ]]
}

@test "export: --off-cpu: waits that end at the largest time are shown" {
	{
		sums_head
		sum_sample 18446744073709551615 0x1000
	} | make_data - l.data
	run -0 timeout 60 "$dwell" export --format html --off-cpu -o l.html l.data
	[ -s l.html ]
}

@test "report: --off-cpu: without recorded wakeups, the time until a thread runs counts as blocked" {
	made | grep -v -e "event=2" -e "raw=" |
		make_data - a.data
	rows --off-cpu --no-children -s state a.data >out
	diff out - <<-'END'
		off-CPU time,1,300,preempted
		off-CPU time,2,1700,blocked
	END
	made | grep -v -e "event=2" -e "raw=" |
		sed 's/sched:sched_waking/sched:other/' | make_data - b.data
	"$report" report --off-cpu b.data 2>said >/dev/null
	grep -q "wakeups were not recorded" said
}

@test "report: --off-cpu and --wall: without call stacks, the time in each state is printed" {
	made | grep -v -e "SAMPLE event=[12]" -e "raw=" \
		-e "chain=user,0x[34]" |
		sed 's/name=context-switches/& exclude_kernel/' |
		make_data - a.data
	"$report" report --off-cpu --csv a.data 2>said |
		tail -n +2 | cut -d, -f1,4,5,7- | sort >out
	diff out - <<-'END'
		off-CPU time,1,300,preempted,made,7
		off-CPU time,2,1700,blocked,made,7
	END
	grep -q "context switches have no call stacks; 'dwell record --off-cpu' records them" said
	"$report" report --wall --csv --no-children -s sym a.data 2>/dev/null >out
	grep -E ',\[\.\] \[not recorded where\]' out
	run ! grep ',\[\.\] 0x0*$' out
	rows --wall --no-children -s state a.data 2>/dev/null >out
	diff out - <<-'END'
		wall time,1,250,on
		wall time,1,300,preempted
		wall time,2,1700,blocked
	END
}

@test "report: --off-cpu: samples of the event that records switches do not count as switches" {
	made | grep -v -e "SAMPLE event=[12]" -e "raw=" \
		-e "chain=user,0x[34]" |
		sed -e 's/name=context-switches/& exclude_kernel/' \
			-e 's/context_switch$//' -e 's/\(SWITCH \)event=3/\1event=0/' \
			-e 's/name=cpu-clock .*/& context_switch/' | make_data - a.data
	rows --off-cpu --no-children -s state a.data 2>/dev/null >out
	diff out - <<-'END'
		off-CPU time,1,300,preempted
		off-CPU time,2,1700,blocked
	END
	rows --wall --no-children -s state a.data 2>/dev/null >out
	diff out - <<-'END'
		wall time,1,250,on
		wall time,1,300,preempted
		wall time,2,1700,blocked
	END
}

@test "report: --off-cpu: a wait during which records were lost is left out and counted" {
	made | sed -e 's/^record SWITCH .*time=2000$/# lost/' \
		-e '/time=2800$/a record LOST event=3 id=4 lost=5 time=3100' |
		make_data - a.data
	"$report" report --off-cpu --no-children a.data >out
	# The end of the first interval is unknown; the second one started in
	# the gap.
	grep -q "; 1 left out because switch records were lost at that time" out
	grep -q "; 1 left out because their length is unknown" out
}

@test "report: --off-cpu: a thread that has ended has no further time off the CPU" {
	made | sed '/time=3000$/a record EXIT event=3 pid=7 tid=7 time=2900' |
		make_data - a.data
	rows --off-cpu --no-children -s state a.data >out
	grep -q "1,600,blocked" out
}

@test "report: --off-cpu: switches in big-endian recordings and in streams are read" {
	made | grep -v -e "event=2" -e "raw=" >made.txt
	make_data -b made.txt big.data
	make_data made.txt little.data
	rows --off-cpu --no-children -s state,sym little.data >little
	rows --off-cpu --no-children -s state,sym big.data >big
	diff little big
	made | sed 's/^file/file pipe/' | make_data - stream
	"$report" report --csv --off-cpu --no-children -s state -i - <stream |
		tail -n +2 | cut -d, -f4,5,7- | sort >out
	diff out - <<-'END'
		1,300,preempted
		1,400,runnable
		2,1300,blocked
	END
}

# format: prints the format of a tracepoint as words of a made recording.
format() {
	local text

	text=$(printf '%s\n' "$@" | od -An -v -tx1 | tr -d ' \n')
	echo "u64=$((${#text} / 2)) bytes=$text"
}

# raw PREV STATE NEXT: prints the raw data of sched_switch, in the format below.
raw() {
	printf 'raw=00000000%02x000000%04x000000000000%02x000000' \
		"$1" "$((($2 & 0xff) << 8 | $2 >> 8))" "$3"
}

# Thread 7 is blocked from 1000 to 1500, and preempted from 2000 to 2300 in the
# notation of new kernels, and from 2400 to 2600 in that of old ones.
made_trace() {
	cat <<-END
		file
		event name=sched:sched_switch type=tracepoint config=9 ids=1
		 sample_period=1 sample_id_all
		 sample_type=IDENTIFIER|IP|TID|TIME|CPU|RAW
		feature EVENT_DESC events
		feature TRACING_DATA bytes=17084474726163696e67 text=0.6 u8=0
		 u8=8 u32=4096 text=header_page u64=0 text=header_event u64=0
		 u32=0 u32=1 text=sched u32=1
		 $(format "name: sched_switch" \
			"	field:pid_t prev_pid;	offset:4;	size:4;" \
			"	field:long prev_state;	offset:8;	size:8;" \
			"	field:pid_t next_pid;	offset:16;	size:4;")
		 u32=0 u32=0 u64=0
		feature HOSTNAME str=made
		record COMM pid=7 tid=7 comm=made time=1
		record SAMPLE ip=0x10 pid=7 tid=7 time=1000 $(raw 7 1 0)
		record SAMPLE ip=0x10 pid=0 tid=0 time=1500 $(raw 0 0 7)
		record SAMPLE ip=0x10 pid=7 tid=7 time=2000 $(raw 7 256 8)
		record SAMPLE ip=0x10 pid=8 tid=8 time=2300 $(raw 8 1 7)
		record SAMPLE ip=0x10 pid=7 tid=7 time=2400 $(raw 7 0 8)
		record SAMPLE ip=0x10 pid=8 tid=8 time=2600 $(raw 8 2 7)
	END
}

@test "report: --off-cpu: a sample of sched_switch counts for the thread that leaves and the next one" {
	made_trace | make_data - a.data
	rows --off-cpu --no-children -s tid,state a.data >out
	diff out - <<-'END'
		off-CPU time,1,500,7,blocked
		off-CPU time,2,100,8,blocked
		off-CPU time,2,500,7,preempted
	END
	# Without the format, the state is unknown.
	made_trace | sed 's/^feature TRACING_DATA/feature 40/' | make_data - b.data
	"$report" report --off-cpu b.data >out
	grep -q "; 5 left out because their length" out
}

@test "report: --off-cpu: a recording without context switches is refused" {
	make_data - a.data <<-'END'
		file
		event name=cycles type=hardware sample_type=IP|TID|TIME ids=1
		record SAMPLE ip=0x1000 pid=7 tid=7 time=3
	END
	refuses 1 "$report" report --off-cpu a.data
	[[ $line == *"no context switches in the recording"* ]]
	[[ $line == *"dwell record --off-cpu"* ]]
	made | make_data - b.data
	refuses 2 "$report" report -s state b.data
	[[ $line == *"field 'state' needs the option --off-cpu"* ]]
	refuses 2 "$report" report --off-cpu --mem-mode b.data
	refuses 2 "$report" export --format perf-data --off-cpu b.data
	made | sed 's/name=cpu-clock type=software config=0/name=x type=tracepoint/' |
		make_data - c.data
	refuses 1 "$report" report --wall c.data
	[[ $line == *"no event of the recording measures CPU time"* ]]
}

@test "record: --off-cpu is refused with options that exclude it" {
	refuses 2 "$record" --off-cpu --all-user true
	[[ $line == *"context switches are events of the kernel"* ]]
	refuses 2 "$record" --off-cpu -b true
	refuses 2 "$record" --off-cpu -e cpu-clock,cs/period=100/ true
	[[ $line == *"--off-cpu samples all context-switches; remove -e cs/period=100/"* ]]
	refuses 2 "$record" --off-cpu -e cs:u true
}

# ns_of PATTERN: prints the sum of ns of the CSV rows on standard input that
# match.
ns_of() {
	awk -F, -v wanted="$1" '$0 ~ wanted { n += $5 }
		END { printf "%d", n }'
}

# Switch events need kernel samples.
# In the tests below, the bounds are half of the requested sleeps. A thread that is
# stalled between the start of its timer and its switch sleeps for a shorter time.
@test "live: record: --off-cpu: a sleep is blocked time at its call stack" {
	need kernel-samples
	"$record" -q --off-cpu -e cpu-clock -- "$BATS_FILE_TMPDIR/away" \
		sleep 20 10
	"$report" report --off-cpu --csv -c away -s state,sym \
		--no-inline >out 2>said
	cat said out
	grep ',blocked,.* main$' out >main
	[ "$(cut -d, -f6 main)" -ge 100000000 ]
	# All of the time since the start of the recording is this thread's.
	"$report" report --wall --csv --no-children -s state >out
	[ "$(ns_of blocked <out)" -ge 100000000 ]
	"$report" report --off-cpu --min-block 10ms --csv --no-children \
		-s state >out
	[ "$(grep -c blocked out)" = 1 ]
	[ "$(cut -d, -f4 <(grep blocked out))" -ge 5 ]
}

@test "live: report: --off-cpu --time: no thread has more time than the range" {
	need kernel-samples
	local first last

	"$record" -q --off-cpu -e cpu-clock -- "$BATS_FILE_TMPDIR/away" \
		lock 300
	# The middle of the time in which the main thread holds the mutex.
	"$report" script -F time -e context-switches | tr -d ' :' | sort -n >times
	first=$(awk 'NR == 1 { printf "%.3f", $1 }' times)
	last=$(awk 'END { printf "%.3f", $1 }' times)
	read -r first last < <(awk -v a="$first" -v b="$last" \
		'BEGIN { printf "%.6f %.6f\n", a + (b - a) / 3, b - (b - a) / 3 }')
	"$report" report --off-cpu --csv --no-children -s tid \
		--time "$first,$last" >out
	cat times out
	awk -F, -v first="$first" -v last="$last" 'NR > 1 { n++
		if ($5 > (last - first) * 1e9 + 1)
			exit 1 }
		END { if (!n) exit 1 }' out
}

@test "live: record: --off-cpu: with -e cs, context switches are recorded once" {
	need kernel-samples
	"$record" -q --off-cpu -e cs -e cpu-clock -F 99 -- \
		"$BATS_FILE_TMPDIR/away" sleep 10 10
	dwell evlist >out
	diff <(grep -v waking out) <(printf '%s\n' cs cpu-clock dummy:uH)
	"$report" report --off-cpu --csv --no-children -c away -s state >out
	grep -q 'blocked' out
}

@test "live: record: --off-cpu: with -k realtime, only wakeups are missing, and a message states it" {
	need root
	"$record" --off-cpu -k realtime -e cpu-clock -- \
		"$BATS_FILE_TMPDIR/away" sleep 10 10 2>said
	grep -q "wakeups .* are not recorded.*-k CLOCK_MONOTONIC" said
	"$report" report --off-cpu --csv --no-children -c away -s state \
		2>said >out
	grep -q "wakeups were not recorded" said
	[ "$(ns_of blocked <out)" -ge 50000000 ]
}

@test "live: record: --off-cpu: waiting for a mutex is blocked time at its call stack" {
	need kernel-samples
	"$record" -q --off-cpu -e cpu-clock -- "$BATS_FILE_TMPDIR/away" \
		lock 600
	"$report" report --off-cpu --csv -c waiter -s state,sym >out
	cat out
	# The thread started to wait a moment after the main thread started to
	# sleep.
	grep ',blocked,.* waiter$' out >waiting
	[ "$(cut -d, -f6 waiting)" -ge 200000000 ]
}

@test "live: record: --off-cpu: the time that two threads wait for one CPU is that of the kernel's count" {
	local cpu pid waited away=$BATS_FILE_TMPDIR/away

	need kernel-samples taskset schedstat
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
	taskset -c "$cpu" "$record" -q --off-cpu -e cpu-clock -- sh -c \
		"'$away' spin 300 >one & '$away' spin 300 >two; wait"
	waited=$(cat one two | awk '{ n += $1 } END { printf "%d", n }')
	[ "$waited" -gt 0 ]
	"$report" report --off-cpu --csv --no-children -c away -s state >out
	cat one two out
	# All of that is preempted or runnable. The kernel reads the clock twice in a
	# switch, and can be stalled in between.
	[ "$(ns_of 'preempted|runnable' <out)" -ge "$((waited / 4 * 3))" ]
	[ "$(ns_of preempted <out)" -gt 0 ]
}

@test "live: record: --off-cpu: stacks of waits without frame pointers are unwound" {
	need kernel-samples
	cc -O1 -g -fomit-frame-pointer -o away \
		"$DWELL_SOURCE/tests/cli/away.c" -lpthread
	"$record" -q --off-cpu --call-graph dwarf -e cpu-clock -- \
		./away sleep 10 5
	"$report" report --off-cpu --csv -c away -s state,sym >out
	grep ',blocked,.*rest$' out >rest
	[ "$(cut -d, -f6 rest)" -ge 25000000 ]
	grep -q ',blocked,.*main$' out
}

@test "live: record: --off-cpu records a running process or all CPUs, and only threads of the target" {
	need kernel-samples
	background "$BATS_FILE_TMPDIR/away" sleep 10 100000
	"$record" -q --off-cpu -p "$last" -- "${while_blocked[@]}" "$last"
	"$report" report --off-cpu --csv -s state,sym >out
	grep -q ',blocked,.* main$' out
	# The waking process is not the target.
	"$report" report --off-cpu --csv --no-children -s state,comm \
		2>said >out
	absent grep -v -e ,away$ -e ^event out
	absent grep "wakeups were not" said
	need root
	# Woken by a task, because some kernels take no samples of idle CPUs.
	cp "$(command -v cat)" away
	mkfifo pipe
	background ./away pipe
	away=$last
	background sh -c 'while sleep 0.01; do echo; done >pipe'
	"$record" -q --off-cpu -a --record-filter comm=^away$ \
		-- "${while_blocked[@]}" "$away"
	"$report" report --off-cpu --csv --no-children -s state,comm \
		2>said >out
	grep -q ',blocked,away$' out
	absent grep -v -e ,away$ -e ^event out
	[ "$(ns_of blocked <out)" -gt 0 ]
	absent grep "wakeups were not" said
	[ "$("$report" report --csv -e sched:sched_waking --no-children -s event |
		wc -l)" -gt 1 ]
}

@test "live: record: --off-cpu without privileges has times without stacks, and a message states why" {
	enter_users_folder
	cp "$BATS_FILE_TMPDIR/away" .
	need paranoid
	as_user ./dwell-record --off-cpu -e cpu-clock -- ./away sleep 20 5 \
		2>said
	cat said
	grep -q -- "--off-cpu: off-CPU times are recorded without call stacks" said
	grep -q "sysctl kernel.perf_event_paranoid=1" said
	# Read access to tracefs alone does not suffice.
	[ -r /sys/kernel/tracing/events ] &&
		as_user test -x /sys/kernel/tracing/events ||
		grep -q 'wakeups .* are not recorded.*: this needs root or CAP_PERFMON$' said
	"$report" report --off-cpu --csv -c away 2>said >out
	cat out
	grep -q "context switches have no call stacks" said
	[ "$(ns_of ',blocked,away,' <out)" -ge 50000000 ]
}

@test "live: record: --off-cpu: if the kernel refuses to record wakeups, only these are missing" {
	need root
	need setpriv
	need paranoid
	setpriv --bounding-set=-sys_admin,-perfmon "$record" --off-cpu \
		-e cpu-clock -- "$BATS_FILE_TMPDIR/away" sleep 10 10 2>said
	cat said
	grep -q "wakeups .* are not recorded" said
	dwell evlist | grep -v waking >out
	diff out <(dwell evlist)
	"$report" report --off-cpu --csv -c away 2>said >out
	[ "$(ns_of blocked <out)" -ge 50000000 ]
}

@test "live: record: --off-cpu: each file of --switch-output has its own switches" {
	need kernel-samples
	"$record" -q --off-cpu -e cpu-clock --switch-output=1s -- \
		"$BATS_FILE_TMPDIR/away" sleep 10 250
	ls dwell.data.* >files
	[ "$(wc -l <files)" -ge 2 ]
	while read -r file; do
		"$report" report --off-cpu --csv -s state,sym "$file" >out
		grep -q ',blocked,' out || [ "$(wc -l <out)" -le 1 ]
	done <files
}
