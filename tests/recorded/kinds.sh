#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Records and packs one file of each kind with the dwell that is first in PATH, as
# out/NAME.data in the current folder. It compiles work.c, inlined.cpp and made.c
# of the folder "source" there. As root, on x86-64 Linux, with gcc, g++ and 32-bit
# libraries.
set -euo pipefail

compile() {
	gcc -O2 -g -fno-optimize-sibling-calls -Wl,--build-id "$@" -pthread
}
compile -fno-omit-frame-pointer -o work source/work.c
compile -fomit-frame-pointer -o work_nofp source/work.c
compile -fno-omit-frame-pointer -fno-pie -no-pie -o work_fixed source/work.c
compile -fno-omit-frame-pointer -m32 -idirafter /usr/include/x86_64-linux-gnu \
	-o work32 source/work.c
compile -fno-omit-frame-pointer -o made source/made.c
g++ -O2 -g -fno-omit-frame-pointer -Wl,--build-id -o inlined source/inlined.cpp

# record NAME OPTION...: records to out/NAME.data, with few samples.
record() {
	local name=$1
	shift
	echo "$name: dwell record $*"
	dwell record -q -o "out/$name.data" "$@" >/dev/null </dev/null
}

# end PID: kills a background process of this script.
end() {
	kill -KILL "$1"
	wait "$1" || true
}

# Methods of call graphs.
record plain -e cpu-clock -F 200 ./work spin 40
record frame_pointers -e cpu-clock -F 200 -g ./work spin 40
record dwarf -e cpu-clock -F 200 --call-graph dwarf ./work_nofp spin 40
record auto -e cpu-clock -F 200 --call-graph auto ./work_nofp spin 40
record kept_stacks -e cpu-clock -F 100 --call-graph dwarf,2048 --keep-stacks \
	./work_nofp spin 40
record user_callchains -z1 -e cpu-clock -F 200 -g --user-callchains \
	--max-stack 2 ./work spin 40
record threads -e cpu-clock -F 200 -g ./work threads 20
record fork -e cpu-clock -F 200 -g ./work fork 30
record 32_bit -e cpu-clock -F 200 -g ./work32 spin 40
record 32_bit_dwarf -e cpu-clock -F 200 --call-graph dwarf ./work32 spin 40

# Targets. Real-time threads run at these times beside any load. A virtual machine can
# take a CPU away for half a second.
chrt -f 10 ./work spin 60000 &
record process -e cpu-clock -F 100 -g -p $! --duration 0.6
record thread -e cpu-clock -F 100 --per-thread -t $! --record-filter comm=work \
	--duration 0.6
record delayed -e cpu-clock -F 100 -D 20-620,700-1300 -p $! --duration 1.4
end $!
groups=$(awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts)
mkdir -p "$groups/recorded/inner"
sh -c 'echo $$ >"$1" && exec chrt -f 10 ./work spin 60000' sh \
	"$groups/recorded/inner/cgroup.procs" &
record cgroups -e cpu-clock -F 100 --all-cgroups -G recorded/inner --duration 0.6
end $!
rmdir "$groups/recorded/inner" "$groups/recorded"
# Real-time threads keep other programs of the machine off both CPUs.
record system -a -e cpu-clock -F 100 -g chrt -f 10 ./work threads 60

# Events.
record events -g -e cpu-clock/freq=200/ -e page-faults -c 20 \
	-e context-switches:u ./work spin 30
record group -F 200 -e '{cpu-clock,task-clock,page-faults}' ./work spin 40
record leader -c 5000000 -e '{cpu-clock,page-faults}:S' -i ./work spin 40
record tracepoints -e sched:sched_process_exec,sched:sched_process_exit \
	-e sched:sched_stat_runtime --filter 'runtime > 1000000' ./work spin 10
record uprobe -c 1 -e uprobe:./work:step -e 'uprobe:./work:step%return' -g \
	./work calls 3
record breakpoint -c 1 -e mem:counter:w:u ./work_fixed calls 4
record off_cpu -F 200 -e cpu-clock --off-cpu -g ./work block 3
record switches -e cpu-clock -F 200 --switch-events -k boottime ./work spin 20

# Contents of samples.
record data -c 10 -e page-faults:u -d --phys-data --data-page-size \
	--code-page-size -W ./work touch 60
record registers -e cpu-clock -F 200 -I --user-regs=ip,sp -R -P -T \
	--sample-cpu ./work spin 30
record namespaces -e cpu-clock -F 200 --namespaces \
	unshare --uts ./work spin 20

# Kinds of files.
record level_0 -z0 -e cpu-clock -F 200 -g ./work spin 30
record level_22 -z22 -e cpu-clock -F 200 -g ./work spin 30
dwell record -q -e cpu-clock -F 200 --call-graph fp -o - ./work spin 30 >out/pipe.data
dwell record -q -z0 -e cpu-clock -F 200 -o - ./work spin 30 >out/pipe_level_0.data
record overwrite --overwrite -e cpu-clock -F 200 -g ./work spin 30
record next -e cpu-clock -F 200 --switch-output=signal sh -c \
	'./work spin 20; kill -USR2 $PPID; ./work spin 700'
set -- out/next.data.*
[ $# = 2 ]
mv "$1" out/next_1.data
mv "$2" out/next_2.data

# A killed recorder, and one that lost samples.
dwell record -q -e cpu-clock -F 20 --call-graph fp -o out/killed.data ./work spin 10000 &
until dwell script -i out/killed.data 2>/dev/null | grep -q leaf; do
	sleep 0.1
done
end $!
record lost -e cpu-clock -F 5000 -m 1 -g --user-callchains sh -c \
	'kill -STOP $PPID; ./work spin 100; kill -CONT $PPID; ./work spin 5'
# JIT code.
record perf_map -e cpu-clock -F 200 -g ./made map 0.04
record jitdump -e cpu-clock -F 200 -g ./made lines 0.04
record jitdump_rules -e cpu-clock -F 200 --call-graph dwarf ./made rules 0.04

# Packed.
record unpacked -e cpu-clock -F 200 --call-graph dwarf ./inlined 40
dwell pack -q -i out/unpacked.data -o out/packed.data
dwell pack -q --source -i out/unpacked.data -o out/packed_source.data
dwell pack -q --redact -i out/unpacked.data -o out/packed_redacted.data
dwell pack -q --strip -i out/packed_source.data -o out/packed_stripped.data
dwell pack -q -i out/kept_stacks.data -o out/packed_stacks.data
dwell pack -q --source -i out/jitdump.data -o out/packed_jitdump.data
dwell export --format perf-data -i out/packed.data -o out/exported.data
