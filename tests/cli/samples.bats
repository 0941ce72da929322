#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The contents of a sample besides its address, as perf reads them.

load common.bash

setup_file() {
	cc -O1 -g -o "$BATS_FILE_TMPDIR/toucher" \
		"$DWELL_SOURCE/tests/cli/toucher.c"
}

setup() {
	enter_test
	[[ $BATS_TEST_DESCRIPTION != live:* ]] || need perf
}

# script OPTION...: prints the samples with perf, which must not print warnings.
script() {
	perf script --force -i dwell.data "$@" </dev/null 2>complaints
	[ ! -s complaints ]
}

# touched OPTION...: records the toucher, and writes its addresses to the file
# places.
touched() {
	"$record" -q "$@" -- "$BATS_FILE_TMPDIR/toucher" >places
}

# pages_of PLACE: prints how many pages of PLACE are among the addresses on
# standard input.
pages_of() {
	awk -v place="$1" '
		function number(text, i, n) {
			text = tolower(text)
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef",
					substr(text, i, 1)) - 1
			return n
		}
		FNR == NR {
			if ($1 == place) { start = number($2); end = number($3) }
			next
		}
		number($1) >= start && number($1) < end {
			seen[int((number($1) - start) / 4096)]
		}
		END { for (page in seen) n++; print n + 0 }' places -
}

@test "record: options for data that samples cannot contain are refused" {
	refuses 2 "$record" -b -j any_call true
	[[ $line == *"-b and -j exclude each other"* ]]
	refuses 2 "$record" -j any_cal true
	[[ $line == *"did you mean 'any_call'?"* ]]
	refuses 2 "$record" -j u,,k true
	refuses 2 "$record" -IAX,NOPE true
	[[ $line == *"there is no register 'NOPE'; use "* ]]
	refuses 2 "$record" --user-regs= true
	refuses 2 "$record" --no-timestamp true
	[[ $line == *"are always recorded"* ]]
}

@test "record: -o - is refused for a group with :S of running processes" {
	refuses 2 "$record" -o - -p $$ -e '{cpu-clock,cs}:S'
	[[ $line == *":S and -o - exclude -p, -t, --name and -u"* ]]
}

@test "record: -I? and --user-regs=? list the available registers" {
	run -0 "$record" -I?
	[[ $output == "available registers: "* ]]
	run -0 "$record" --user-regs=?
	[[ $output == "available registers: "* ]]
}

@test "record: registers that this machine cannot sample are refused" {
	need x86_64 no-pmu
	refuses 2 "$record" -IXMM0 true
	[[ $line == *"no register 'XMM0' here; use AX "* ]]
	refuses 2 "$record" --user-regs=IP,XMM15 true
	[[ $line == *"--user-regs: there is no register 'XMM15' here"* ]]
}

@test "live: record: -b and -j are refused on a processor without branch records" {
	local status=0

	need no-pmu
	"$record" -q -b -e cycles true 2>said || status=$?
	[ "$status" != 0 ]
	[ "$(wc -l <said)" = 1 ]
	grep -q "'cycles': .*branches.*; remove -b and -j" said
	refuses 1 "$record" -j any_call,u -e cpu-clock true
	[[ $line == *"only hardware counters record branches"* ]]
}

@test "live: record: -d records the data address of a page fault" {
	touched -d -e page-faults:u -c 1
	script -F addr >addresses
	[ "$(pages_of mapping <addresses)" = 200 ]
	# The loader may have touched the first page.
	[ "$(pages_of variable <addresses)" -ge 199 ]
	script -F addr,sym | grep -q variable
}

@test "live: record: -d: data addresses have the name of their variable after the program was deleted" {
	cp "$BATS_FILE_TMPDIR/toucher" gone
	"$record" -q -d -e page-faults:u -c 1 ./gone >/dev/null
	rm gone
	"$report" report -i dwell.data -s symbol_daddr,dso_daddr >rows
	grep -q "variable.* gone" rows
}

@test "live: record: -d: data mappings of a running process are recorded" {
	background sleep 60
	"$record" -q -d -e cpu-clock:u -p "$last" --duration 0.2
	script --show-mmap-events >records
	grep -q "rw-p /" records
	grep -q "r-xp /" records
	"$record" -q -e cpu-clock:u true
	script --show-mmap-events >records
	run ! grep "rw-p /" records
}

@test "live: record: --phys-data, --data-page-size and --code-page-size add these values to samples" {
	need root breakpoint
	touched -d --phys-data --data-page-size --code-page-size -P \
		-e mem:variable/1:w
	start=$(awk '$1 == "variable" { print $2 }' places)
	script -F addr,phys_addr,data_page_size,code_page_size,period >rows
	read -r period address physical data code <rows
	[ "$period" = 1 ]
	[ "$address" = "$start" ]
	((16#$physical > 0 && 16#$physical % 4096 == 16#$start % 4096))
	[ "$data" = 4K ]
	[[ $code == *[KMG] ]]
}

@test "live: record: --phys-data without permission records the rest, and a message states it" {
	enter_users_folder
	need paranoid
	as_user ./dwell-record -d --phys-data -e cpu-clock:u true 2>said
	grep -q "not recorded: physical addresses; this needs root" said
	script -F addr >/dev/null
}

@test "live: record: -I and --user-regs add registers, of which IP is the address of the sample" {
	"$record" -q -IIP,SP --user-regs=IP -e cpu-clock -F 2000 -- \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	script -F ip,iregs,uregs >rows
	[ -s rows ]
	# IP ABI:2 SP:... IP:0x...  ABI:2 IP:0x...
	sed 's/\([A-Z]*\): *0x/\1 /g' rows | awk '
		{ ip = $1; n = 0; users = "" }
		{ for (i = 2; i < NF; i++)
			if ($i == "IP") { n++; last[n] = $(i + 1) } }
		last[1] != ip { bad++ }
		n == 2 && ip !~ /^f/ && last[2] != ip { bad++ }
		n == 2 { both++ }
		END { exit bad || !both }'
	"$record" -q -I -e cpu-clock awk 'BEGIN { while (i < 3e6) i++ }'
	script -F iregs | grep -q "AX:0x.*R15:0x"
}

@test "live: record: -W and -R do not change samples of a timer" {
	"$record" -q -W -R -e cpu-clock awk 'BEGIN { while (i < 3e6) i++ }'
	script -F weight,ip | grep -q .
	perf evlist -v -i dwell.data | grep -q "RAW.*WEIGHT"
}

@test "live: record: --switch-events records when threads run" {
	"$record" -q --switch-events -e cpu-clock -- sleep 0.1
	script --show-switch-events >records
	grep -q "sleep.*PERF_RECORD_SWITCH *OUT" records
	grep -q "sleep.*PERF_RECORD_SWITCH *IN" records
	need root
	"$record" -q -a --switch-events -e cpu-clock -- sleep 0.1
	script --show-switch-events >records
	grep -q "PERF_RECORD_SWITCH_CPU_WIDE OUT.*next pid/tid" records
	grep -q "PERF_RECORD_SWITCH_CPU_WIDE IN.*prev pid/tid" records
}

# sums: prints "EVENT SAMPLES PERIODS" for each event.
sums() {
	script -F event,period | awk '
		{ n[$2]++; sum[$2] += $1 }
		END { for (event in n) printf "%s %d %.0f\n", event, n[event], sum[event] }' |
		tr -d :
}

@test "live: record: the header of a recording lists its groups of events" {
	touched -c 1 \
		-e '{page-faults:u,minor-faults:u},{cs,task-clock/freq=99/}'
	perf report -i dwell.data --header-only </dev/null 2>/dev/null >header
	grep "^# group: " header >groups
	[ "$(wc -l <groups)" = 2 ]
	grep -q "{page-faults:u,minor-faults:u}" groups
	grep -q "{cs,task-clock/freq=99/}" groups
	"$DWELL_BUILD/dwell-report" report --header -i dwell.data >own
	diff <(grep -c "^# group: " own) <(echo 2)
	# Counted together, both events have all faults.
	read -r _ all _ < <(sums | grep "^page-faults:\?u")
	read -r _ minor _ < <(sums | grep "^minor-faults:\?u")
	((all >= 399 && minor >= 399))
}

# Compiles the program faults: it causes 20,000 page faults in 100 rounds of about
# 2 ms of CPU time, and prints the number of its page faults.
compile_faults() {
	cat >faults.c <<-'END'
	#include <stdio.h>
	#include <sys/mman.h>
	#include <sys/resource.h>

	int main(void)
	{
		char *pages = mmap(NULL, 200 * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct rusage usage;
		int round, i;

		if (pages == MAP_FAILED)
			return 1;
		madvise(pages, 200 * 4096, MADV_NOHUGEPAGE);
		for (round = 0; round < 100; round++) {
			for (i = 0; i < 200; i++)
				((volatile char *)pages)[i * 4096] = 1;
			madvise(pages, 200 * 4096, MADV_DONTNEED);
			for (i = 0; i < 4000000; i++)
				__asm__ volatile("");
		}
		getrusage(RUSAGE_SELF, &usage);
		printf("%ld\n", usage.ru_minflt + usage.ru_majflt);
		return 0;
	}
	END
	cc -O1 faults.c -o faults
}

@test "live: record: {...}:S samples the first event of a group, with the counts of the others" {
	compile_faults
	"$record" -q --call-graph fp -e '{task-clock,page-faults,minor-faults}:S' -F 5000 \
		-- ./faults >counted
	all=$(cat counted)
	sums >sums
	cat counted sums
	read -r _ n _ < <(grep task-clock sums)
	read -r _ m faults < <(grep page-faults sums)
	read -r _ _ minor < <(grep minor-faults sums)
	# Faults after the last sample are not counted. Those of the exec are.
	((n >= m && m > 0 && faults > all / 2 && faults <= all + 1000))
	((minor > all / 2 && minor <= faults))
	perf report -i dwell.data --group --stdio </dev/null 2>complaints |
		grep -q "events 'anon group { task-clock, page-faults, minor"
	perf evlist -v -i dwell.data | grep "page-faults" >attr
	grep -q "read_format: ID|GROUP" attr
	run ! grep "sample_freq" attr
	run -0 "$DWELL_BUILD/dwell-report" report -i dwell.data
}

faults_of_machine() {
	awk '$1 == "pgfault" { print $2 }' /proc/vmstat
}

@test "live: record: {...}:S works for the whole system, a process and a stream" {
	need root
	need taskset
	compile_faults
	before=$(faults_of_machine)
	# On one CPU, which continues to take samples after the faults.
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	"$record" -q -a -e '{cpu-clock,page-faults,cs}:S' -- \
		taskset -c "$cpu" ./faults >counted
	most=$(($(faults_of_machine) - before))
	sums >sums
	read -r _ _ faults < <(grep page-faults sums)
	all=$(cat counted)
	echo "$faults of $all, at most $most"
	# /proc/vmstat does not count faults that end with a signal.
	((faults > all / 2 && faults < 2 * most))
	awk 'BEGIN { while (1) n++ }' 3>&- &
	started=$!
	"$record" -q -p "$started" -e '{task-clock,cs}:S' \
		-- "${while_run[@]}" "$started"
	sums >sums
	read -r _ n clock < <(grep task-clock sums)
	((n > 10 && clock > 10000000 && clock < 60000000000))
	"$record" -q -a -e '{cpu-clock,cs}:S' --duration 0.3 -o - |
		perf script -i - -F event,period 2>/dev/null >rows
	kill "$started"
	grep -q "cpu-clock" rows
	grep -q "cs" rows
	awk '$1 > 1e10 { bad = 1 } END { exit bad }' rows
}

@test "live: record: a group that the kernel refuses is an error; with :W, its events are recorded separately" {
	refuses 1 "$record" -e '{cpu-clock,cs/no-inherit/}' true
	[[ $line == "dwell record: cannot open event 'cs/no-inherit/': the event cannot be counted together with its group; allow dwell to split the group: put the modifier W after its braces" ]]
	touched -e '{cpu-clock,faults/no-inherit/}:W'
	sums | grep -q "faults"
	perf report -i dwell.data --header-only </dev/null 2>/dev/null >header
	run ! grep "^# group: " header
}

@test "live: record: all options that add data to samples work together" {
	need root
	touched --call-graph fp -d --phys-data -W -R -P --data-page-size --code-page-size \
		-I --user-regs -T --sample-cpu --sample-identifier \
		--all-cgroups --switch-events -e cpu-clock,page-faults/period=1/
	script -F comm,tid,cpu,time,event,period,ip,sym,addr,phys_addr,data_src,weight,iregs,uregs,data_page_size,code_page_size >rows
	grep -q "page-faults" rows
	script -F event,addr | awk '/page-faults/ { print $2 }' >addresses
	[ "$(pages_of mapping <addresses)" = 200 ]
	samples=$(script -F event | wc -l)
	perf report -i dwell.data --stats </dev/null 2>/dev/null |
		grep -q "SAMPLE events: *$samples "
	"$report" report --stats -i dwell.data |
		grep -q "SAMPLE.* $samples\b"
	run -0 --separate-stderr "$report" report -i dwell.data
	[ -z "$stderr" ]
	[[ $output == *toucher* ]]
}
