#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell record: refused options, exit status, and files. Tests named "live" take
# samples.

load common.bash

# perf_samples FILE: prints the number of samples that perf finds in FILE.
perf_samples() {
	perf script --force -i "$1" -F event 2>/dev/null | wc -l
}

### Bad input ##################################################################

@test "record: help and version are printed to stdout" {
	run -0 --separate-stderr "$record" --help
	[[ $output == "usage: dwell record"*"--call-graph"*"--queue-size"* ]]
	[ -z "$stderr" ]
	run -0 "$record" --version
	[[ $output == dwell\ [0-9]* ]]
}

@test "record: unknown options are refused" {
	refuses 2 "$record" --frobnicate true
	refuses 2 "$record" -F zap true
	refuses 2 "$record" -F 99 -c 1000 true
	[[ $line == *"-F and -c exclude each other"* ]]
	refuses 2 "$record" -p 1 -a
	refuses 2 "$record" -p x
	refuses 2 "$record" -C 0-
	refuses 2 "$record" --call-graph dwarf,65536 true
	refuses 2 "$record" --call-graph fp --keep-stacks true
	refuses 2 "$record" --keep-stacks --call-graph fp true
	for event in "" "-e cpu-clock" "-e cpu-clock/call-graph=fp/"; do
		for graph in "" "--call-graph fp"; do
			refuses 2 "$record" $event $graph --keep-stacks true
			[[ $line == *"--keep-stacks needs stack copies. Add --call-graph dwarf"* ]]
			refuses 2 "$record" --keep-stacks $graph $event true
		done
	done
}

@test "record: the status is 127 if the command is missing, 126 if it is not executable" {
	echo old >dwell.data
	refuses 127 "$record" no-such-command-at-all
	[[ $line == *"no-such-command-at-all: command not found"* ]]
	refuses 127 "$record" ./gone
	[[ $line == *"./gone: No such file or directory"* ]]
	touch plain
	refuses 126 "$record" ./plain
	[[ $line == *"./plain: Permission denied"* ]]
	refuses 126 "$record" /tmp
	[ "$(cat dwell.data)" = old ]
	[ ! -e dwell.data.old ]
}

@test "record: a PID or TID that does not exist is named in the error" {
	refuses 1 "$record" -p 99999999
	[[ $line == *"99999999: no such process"* ]]
	refuses 1 "$record" -t 99999999
	[[ $line == *"99999999: no such thread"* ]]
	[ ! -e dwell.data ]
}

@test "live: record: an invalid output file is refused" {
	mkdir folder
	refuses 1 "$record" -e cpu-clock:u -o folder true
	[[ $line == *"cannot create folder: it exists and is not a regular file"* ]]
	echo here >kept
	ln -s kept link
	refuses 1 "$record" -e cpu-clock:u -o link true
	[[ $line == *"cannot create link: it is a symbolic link, which is not followed; \
to write to its target: -o $PWD/kept" ]]
	[ "$(cat kept)" = here ]
	ln -s gone dangling
	refuses 1 "$record" -e cpu-clock:u -o dangling true
	[[ $line == *"symbolic link"*"another name: -o FILE" ]]
	refuses 1 "$record" -e cpu-clock:u -o gone/x.data true
	[[ $line == *"gone/x.data: No such file or directory"* ]]
	ln -s elsewhere link.data
	refuses 1 "$record" -e cpu-clock:u -o link.data true
	[ ! -e elsewhere ]
}

@test "live: record: a value after -g is taken for the command, and the error names --call-graph" {
	local value
	for value in fp dwarf dwarf,8192; do
		refuses 127 "$record" -e cpu-clock:u -g $value true
		[ "$line" = "dwell record: $value: command not found; -g takes no value; use --call-graph $value" ]
	done
}

@test "live: record: if the interpreter of a script is missing, the older recording stays" {
	echo old >dwell.data
	printf '#!/no/such/interpreter\n' >broken
	chmod +x broken
	refuses 127 "$record" -e cpu-clock:u ./broken
	[ "$(cat dwell.data)" = old ]
	[ ! -e dwell.data.old ]
}

### Status and inheritance #####################################################

@test "live: record: the exit status is that of the command" {
	run -0 "$record" -q -e cpu-clock:u true
	run -3 "$record" -q -e cpu-clock:u sh -c 'exit 3'
	run -143 "$record" -q -e cpu-clock:u sh -c 'kill -TERM $$'
	run -137 "$record" -q -e cpu-clock:u -- sh -c 'kill -KILL $$'
}

@test "live: record: limits, signals, priority and files of the command are those of a start from the shell" {
	: >changes
	if is_sanitized; then
		# The thread of TSan resets the C library's signals 32 and 33.
		printf '%s\n' '/^SigIgn/s/[0-9a-f]{9}([0-9a-f]{7})$/\1/' >changes
	fi
	cat >show <<-'EOF'
		ulimit -a; ulimit -Ha
		nice
		chrt -p $$ 2>/dev/null | sed 's/pid [0-9]*//'
		grep -E '^(Sig[BICP]|Shd|Cap|NoNew|Seccomp:)' /proc/self/status |
			sed -E -f changes
		ls /proc/self/fd
		ps -o pgid= -o sid= -p $$ 2>/dev/null
		pwd
		umask
		env | grep -v '^_='
	EOF
	sh -c '. ./show' >without </dev/null 3>&-
	"$record" -q -e cpu-clock:u sh -c '. ./show' >with </dev/null 3>&-
	diff without with
	grep -q SigBlk with
	trap '' USR2
	nice -n 5 sh -c '. ./show' >without </dev/null 3>&-
	nice -n 5 "$record" -q -r 1 -e cpu-clock:u sh -c '. ./show' >with \
		</dev/null 3>&-
	trap - USR2
	diff without with
}

@test "live: record: descriptors 0 to 2 that are closed stay closed for the command" {
	local closed

	cat >show <<-'EOF'
		open=open:
		for fd in 0 1 2 3 4 5 6 7 8 9; do
			[ ! -e "/proc/$$/fd/$fd" ] || open="$open $fd"
		done
		echo "$open" >"$0"
	EOF
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' \
		'<&- >&- 2>&-'; do
		bash -c 'sh -c "$(cat show)" without '"$closed 3>&-"
		# With -v messages are written before the command starts.
		bash -c '"$0" -v -e cpu-clock:u sh -c "$(cat show)" with '"$closed \
			3>&-" "$record"
		echo "with $closed:"
		diff without with
		dwell evlist | grep -x cpu-clock:u
		rm dwell.data
	done
	# All three were closed last.
	cat with
	[[ "$(cat with)" != *" "[012]* ]]
}

@test "live: record: -o - with a closed standard output is an error" {
	run -1 bash -c "'$record' -o - -e cpu-clock:u true >&-"
	echo "$output"
	[[ "$output" == *'standard output'*'Bad file descriptor'* ]]
}

@test "live: record: -r 0 keeps the real-time priority that the user set" {
	need realtime
	chrt -f 7 "$record" -q -r 0 -e cpu-clock:u sleep 60 3>&- &
	started=$!
	until_true eval '[ "$(ls /proc/$started/task | wc -l)" -ge 4 ]'
	chrt -a -p "$started" >policies
	cat policies
	run ! grep -E 'policy: SCHED_OTHER' policies
	[ "$(grep -c 'priority: 7$' policies)" -ge 4 ]
	kill -INT "$started"
	wait "$started" || :
}

@test "live: record: a script without an interpreter line is run by the shell" {
	printf 'exit 5\n' >script
	chmod +x script
	run -5 "$record" -q -e cpu-clock:u ./script
}

### Output #####################################################################

@test "live: record: -o /dev/null discards the recording and replaces nothing" {
	need device-nodes
	mknod null c 1 3
	run -0 --separate-stderr "$record" -e cpu-clock:u -o null true
	[[ $stderr == *" sample"*", 0 lost, "*" in null"* ]]
	[ -c null ]
	[ ! -e null.old ]
	refuses 2 "$record" -e cpu-clock:u --switch-output -o null true
	run -3 "$record" -q -e cpu-clock:u -o /dev/null sh -c 'exit 3'
}

@test "live: record: a file that another recorder is writing is not renamed to .old" {
	echo older >out.data
	background "$record" -q -e cpu-clock:u -o out.data -- \
		sh -c 'until [ -e end ]; do :; done'
	first=$last
	until_true has_child "$first"
	until_true grep -q older out.data.old
	for option in "" --switch-output; do
		# shellcheck disable=SC2086
		refuses 1 "$record" -e cpu-clock:u -o out.data $option -- touch ran
		[ "$line" = "dwell record: cannot create out.data: another recorder writes it; use another name: -o FILE" ]
	done
	[ ! -e ran ]
	grep -q older out.data.old
	touch end
	wait "$first"
	"$report" report -i out.data --stats >/dev/null
	# The lock ends with its recorder.
	"$record" -q -e cpu-clock:u -o out.data -- true
	[ "$(head -c 8 out.data.old)" = PERFILE2 ]
}

# True if each of the recorders 1 to 4 runs its command or has ended.
all_have_decided() {
	local i

	for i in 1 2 3 4; do
		[ -e ran.$i ] || grep -q 'another recorder' said.$i || return
	done
}

@test "live: record: of four recorders that start at once with one -o, none loses its recording" {
	local i ok=0 recorders=""
	for i in 1 2 3 4; do
		"$record" -e cpu-clock:u -F 5000 -o out.data -- \
			sh -c "echo >ran.$i; until [ -e end ]; do :; done" \
			>said.$i 2>&1 3>&- &
		recorders+=" $!"
	done
	started=$recorders
	until_true all_have_decided
	touch end
	for i in 1 2 3 4; do
		wait "$(cut -d' ' -f$((i + 1)) <<<"$recorders")" && ok=$((ok + 1)) ||
			grep -q 'another recorder writes it' said.$i
	done
	tail said.?
	[ "$ok" = 1 ]
	[ "$(ls ran.? | wc -l)" = 1 ]
	[ "$(ls out.data*)" = out.data ]
	[ "$("$report" script -i out.data -F ip -G | wc -l)" = \
		"$(cat said.? | told_samples)" ]
}

@test "live: record: if the directory of the recording is removed meanwhile, the status is 1" {
	mkdir gone
	run -1 --separate-stderr "$record" -e cpu-clock:u -o gone/out.data -- \
		rm -r gone
	[ "${lines[*]}" = "" ]
	[ "${stderr_lines[-1]}" = "dwell record: cannot keep gone/out.data: the file was removed while it was written" ]
	absent grep 'samples,' <<<"$stderr"
	# A file that was only renamed is complete.
	"$record" -q -e cpu-clock:u -o out.data -- mv out.data moved.data
	"$report" report -i moved.data --stats >/dev/null
}

@test "live: record: an older recording is kept as FILE.old" {
	echo old >dwell.data
	"$record" -q -e cpu-clock:u true
	[ "$(cat dwell.data.old)" = old ]
	[ "$(head -c 8 dwell.data)" = PERFILE2 ]
	[ "$(stat -c %a dwell.data)" = 600 ]
	"$record" -q -e cpu-clock:u true
	[ "$(head -c 8 dwell.data.old)" = PERFILE2 ]
}

@test "live: record: the summary is one line, and -q prints nothing" {
	run -0 --separate-stderr "$record" -e cpu-clock:u true
	[[ $stderr =~ ^dwell\ record:\ [0-9]+\ samples?,\ [0-9]+\ lost,\ [0-9.]+\ (bytes|KiB)\ in\ dwell.data$ ]]
	# Many equal samples are compressed to a small part of their size.
	run -0 --separate-stderr "$record" -F 10000 -e cpu-clock:u \
		sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
	[[ $stderr =~ ^dwell\ record:\ [0-9]+\ samples,\ [0-9]+\ lost,\ [0-9.]+\ KiB\ in\ dwell.data\ \(compressed\ to\ [0-9]{1,2}\.[0-9]\ %\)$ ]]
	run -0 --separate-stderr "$record" -q -e cpu-clock:u true
	[ -z "$stderr" ]
}

@test "live: record: the note that there is no hardware counter is printed once per machine" {
	local note="this machine has no hardware counter for cycles" run
	need no-pmu
	"$dwell" doctor | grep "^limited *pmu *none"
	export XDG_CACHE_HOME=$PWD/cache
	# With -q the note is not printed, and is due later.
	"$record" -q true
	run -0 --separate-stderr "$record" true
	[[ $stderr == *"$note"* ]]
	[ "$(stat -c %a cache/dwell/notes)" = 700 ]
	run -0 --separate-stderr "$record" true
	[[ $stderr == *" in dwell.data"* && $stderr != *"$note"* ]]
	run -0 --separate-stderr "$record" -v true
	[[ $stderr == *"$note"* ]]
	# A folder that cannot be written remembers nothing.
	export XDG_CACHE_HOME=/proc/none
	for run in 1 2; do
		run -0 --separate-stderr "$record" true
		[[ $stderr == *"$note"* ]]
	done
}

@test "live: record: with sudo, the recording belongs to the user who called sudo" {
	need root
	SUDO_UID=65534 SUDO_GID=65534 "$record" -q -e cpu-clock:u true
	[ "$(stat -c %u:%g dwell.data)" = 65534:65534 ]
}

@test "live: record: a file size limit ends the recording, and the written part is kept" {
	need perf
	ulimit -f 100
	run -1 --separate-stderr "$record" -e cpu-clock:u -F 20000 --call-graph fp \
		sh -c 'while :; do :; done'
	[[ $stderr == *"File too large"*"The samples written before can be reported"* ]]
	[ "$(perf_samples dwell.data)" -gt 100 ]
}

### Recorded data ##############################################################

@test "live: record: perf reads as many samples as the summary reports" {
	need perf
	for options in "" "-g" "-z0" "-z9 -g" "-F 99" "-c 500000"; do
		run -0 --separate-stderr "$record" -e cpu-clock:u $options \
			awk 'BEGIN { while (i < 5e6) i++ }'
		echo "$options: $stderr"
		[ "$(told_samples <<<"$stderr")" -gt 2 ]
		[ "$(perf_samples dwell.data)" = "$(told_samples <<<"$stderr")" ]
	done
}

@test "live: record: samples of several -e have the names of their events" {
	need perf
	"$record" -q -e cpu-clock:u,page-faults:u -e task-clock:u \
		awk 'BEGIN { while (i < 5e6) i++ }'
	perf script -i dwell.data -F event | tr -d ' ' | sort | uniq -c >counts
	cat counts
	for name in cpu-clock:u: page-faults:u: task-clock:u:; do
		grep -q " $name$" counts
	done
}

@test "live: record: if the machine lacks the default event, another is used and a message states it" {
	run -0 --separate-stderr "$record" true
	if ! [ -d /sys/bus/event_source/devices/cpu ]; then
		[[ $stderr == *"cpu-clock"* ]]
	fi
	[[ $stderr == *" sample"*", "* ]]
}

@test "live: record: -F max is the limit of the kernel, and a message states it" {
	local limit_file=/proc/sys/kernel/perf_event_max_sample_rate
	before=$(cat $limit_file)
	run -0 --separate-stderr "$record" -F max -e cpu-clock:u true
	first=$stderr
	run -0 --separate-stderr "$record" -F $((before + 1)) \
		-e cpu-clock:u true
	after=$(cat $limit_file)
	echo "$first, $stderr"
	# The kernel lowers the limit when its interrupts take too long.
	[[ $first == *"sampling at $before Hz"* ]] ||
		[ "$before" != "$after" ]
	[[ $stderr == *"sampling at $after Hz"*perf_event_max_sample_rate* ]] ||
		[ "$before" != "$after" ]
}

# ends_with_target OPTION: succeeds if dwell record OPTION PID ends when its target ends.
ends_with_target() {
	need perf
	start_busy
	"$record" -e cpu-clock:u "$1" "$last" 2>said 3>&- &
	recorder=$!
	started="$started $recorder"
	until_true has_more_than 10
	kill -KILL "$last"
	wait "$recorder"
	cat said
	[ "$(told_samples said)" -gt 10 ]
}

@test "live: record: -p ends when its process ends" {
	ends_with_target -p
}

@test "live: record: -t records one thread until it ends" {
	ends_with_target -t
}

@test "live: record: -p: samples of the running process have its name and mappings" {
	need perf
	start_busy
	"$record" -q -e cpu-clock:u -p "$last" -- "${while_run[@]}" "$last"
	perf script -i dwell.data -F comm,ip,dso >text
	awk '$1 ~ /^:/ || /\[unknown\]/ { bad++ } END { exit bad > NR / 20 }' \
		text
	grep -q awk text
}

@test "live: record: -a ends after its --duration, with status 0" {
	need root
	start_busy
	run -0 --separate-stderr timeout 60 "$record" -a -e cpu-clock \
		--duration 1
	[ "$(told_samples <<<"$stderr")" -gt 100 ]
}

@test "live: record: -C samples only the given CPUs" {
	need root
	need perf
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	start_busy
	taskset -cp "$cpu" "$last"
	"$record" -q -C "$cpu" -e cpu-clock -- "${while_run[@]}" "$last"
	perf script -i dwell.data -F cpu | tr -d '[] ' | sort -u >cpus
	[ "$((10#$(cat cpus)))" = "$cpu" ]
}

@test "live: record: tracepoints are recorded with the format of their raw data" {
	need root perf tracefs
	"$record" -q -a -e sched:sched_switch --duration 0.5
	perf script -i dwell.data >text
	grep -q 'sched:sched_switch: prev_comm=' text
}

@test "live: record: -D delays samples, but not the records of mappings and names" {
	need perf
	begin=$EPOCHREALTIME
	"$record" -q -k realtime -D 800 -e cpu-clock:u -- \
		awk 'BEGIN { while (1) i++ }' 3>&- &
	started=$!
	until_true has_recorded dwell.data 1
	kill -INT "$started"
	wait "$started" || :
	perf script -i dwell.data --ns --show-task-events --show-mmap-events \
		-F comm,time,event >text
	# The delay begins later than $begin.
	awk -v begin="$begin" '{ sub(/:$/, "", $2) }
		/PERF_RECORD_COMM exec/ && !start { start = $2 }
		/cpu-clock/ && !first { first = $2 }
		END { print begin, start, first
			exit !(start > begin && first > start &&
				first - begin >= 0.8) }' text
}

@test "live: record: lost samples are counted in the file" {
	need perf
	run -0 --separate-stderr "$record" -e cpu-clock:u -m 1 --call-graph fp -F 20000 \
		sh -c 'for i in 1 2 3 4; do awk "BEGIN { while (i < 3e6) i++ }" & done; wait'
	echo "$stderr"
	lost=$(told_lost <<<"$stderr")
	perf report --stdio -i dwell.data 2>/dev/null |
		grep "Total Lost Samples: $lost\$"
}

# has_priorities LIST: succeeds if LIST has the priorities of the recorder's
# SCHED_FIFO threads, in order.
has_priorities() {
	[ "$(ps -L -o rtprio= -p "$started" | tr -d ' -' | sort -u | xargs)" = \
		"$1" ]
}

# runs_at PRIORITIES OPTION...: checks that the threads of a recorder get these
# priorities.
runs_at() {
	rm -f dwell.data
	"$record" -q "${@:2}" -e cpu-clock:u sleep 60 3>&- &
	started=$!
	until_true has_child "$started"
	until_true has_executed "$(child_of "$started")"
	until_true has_priorities "$1"
	kill -INT "$started"
	wait "$started" || :
}

@test "live: record: the drain has a real-time priority, with -r 0 an ordinary one" {
	need realtime
	runs_at "1 2"
	runs_at "" -r 0
	runs_at "1 4 5" -r 5
}

# A program with one thread and 1,000,002 calls, into a ring of one page.
@test "live: record: samples and losses add up to the calls that were made" {
	need syscall-tracepoints
	make_calls 333334
	record_calls -v -m 1
	stderr=$(cat said)
	[[ $stderr =~ ([0-9]+)\ samples,\ ([0-9]+)\ lost ]]
	samples=${BASH_REMATCH[1]} lost=${BASH_REMATCH[2]}
	[ "$lost" -gt 0 ]
	[ $((samples + lost)) = 1000002 ]
	[[ $stderr == *"a ring buffer was full. Use larger ring buffers (-m)"* ]]
	# The sum over all CPUs is the same.
	by_cpu=$(sed -n 's/.*getppid on CPU [0-9]*: [0-9]* samples*, \([0-9]*\) lost.*/\1/p' \
		<<<"$stderr" | awk '{ n += $1 } END { print n }')
	[ "$by_cpu" = "$lost" ]
	in_file=$("$report" --header -g none -s comm |
		sed -n 's/^# losses: .*getppid on CPU .* \([0-9]*\) lost in .*/\1/p' |
		awk '{ n += $1 } END { print n }')
	[ "$in_file" = "$lost" ]
}

# is_program PID FILE: succeeds if PID executes FILE.
is_program() {
	[ "/proc/$1/exe" -ef "$2" ]
}

# has_samples_of NAME: succeeds if the file has samples in that DSO.
has_samples_of() {
	"$report" script -i dwell.data -F comm,ip,dso 2>/dev/null |
		grep -q "/$1)"
}

# record_while_stopped SIZE: records with ring buffers of SIZE 500 programs that start
# while the recorder is stopped, and a program after them.
record_while_stopped() {
	rm -f started stopped
	"$record" -m "$1" -e cpu-clock:u -- sh -c 'touch started
		until [ -e stopped ]; do :; done
		i=0
		while [ $i -lt 500 ]; do /bin/true; i=$((i + 1)); done
		exec ./late "BEGIN { while (1) i++ }"' 2>said 3>&- &
	started=$!
	until_true test -e started
	kill -STOP "$started"
	touch stopped
	until_true is_program "$(child_of "$started")" late
	kill -CONT "$started"
	until_true has_samples_of late
	kill -INT "$started"
	wait "$started"
	cat said
}

@test "live: record: lost mappings are reported, and read again from /proc" {
	cp "$(command -v awk)" late
	record_while_stopped 8
	grep -q "the kernel lost records of mappings" said
	# Other users may lock less memory.
	[ "$(id -u)" = 0 ] || return 0
	record_while_stopped 16M
	run ! grep -q "the kernel lost records of mappings" said
}

### Ends #######################################################################

@test "live: record: SIGINT ends the command, and the recording is complete" {
	need perf
	"$record" -e cpu-clock:u awk 'BEGIN { while (1) i++ }' 2>said 3>&- &
	started=$!
	until_true has_child "$started"
	until_ran "$(child_of "$started")" 500
	kill -INT "$started"
	status=0
	wait "$started" || status=$?
	[ "$status" = 0 ]
	grep -q ' samples*, 0 lost' said
	[ "$(perf_samples dwell.data)" -gt 50 ]
}

@test "live: record: --duration ends the command, with status 0" {
	run -0 timeout 60 "$record" -q --duration 0.3 -e cpu-clock:u \
		awk 'BEGIN { while (1) i++ }'
}

@test "live: record: perf reads the recording of a recorder that was killed" {
	need perf
	"$record" -q -e cpu-clock:u -F 2000 --call-graph fp \
		awk 'BEGIN { while (1) i++ }' 3>&- &
	recorder=$!
	started=$recorder
	until_true has_child "$recorder"
	workload=$(child_of "$recorder")
	started="$recorder $workload"
	until_ran "$workload" 2500
	kill -KILL "$recorder" "$workload"
	samples=$(perf_samples dwell.data)
	echo "$samples samples"
	# Of about 3000 that were written before the last second.
	[ "$samples" -gt 300 ]
	perf script -i dwell.data -F comm,ip,dso >text
	run ! grep -E '^ *:[0-9]' text
}

# has_more_than N: succeeds if the file has more than N samples.
has_more_than() {
	[ "$(perf_samples dwell.data)" -gt "$1" ]
}

@test "live: record: a recording can be reported while it is written" {
	need perf
	"$record" -q -e cpu-clock:u -F 2000 awk 'BEGIN { while (1) i++ }' 3>&- &
	started=$!
	until_true has_more_than 0
	first=$(perf_samples dwell.data)
	until_true has_more_than "$first"
	second=$(perf_samples dwell.data)
	echo "$first, then $second"
	until_ran "$(child_of "$started")" 100
	kill -INT "$started"
	wait "$started" || true
	has_more_than "$second"
}

@test "live: record: an ordinary user records his own processes" {
	need perf
	enter_users_folder
	run -0 --separate-stderr as_user ./dwell-record --call-graph fp -- \
		awk 'BEGIN { while (i < 1e7) i++ }'
	echo "$stderr"
	[ "$(told_samples <<<"$stderr")" -gt 10 ]
	[ "$(perf_samples dwell.data)" = "$(told_samples <<<"$stderr")" ]
}

@test "live: report and script print no error if the reader of a pipe exits early" {
	# Long enough for samples: a recording without samples prints a warning.
	"$record" -q -e cpu-clock:u -o enough.data -- \
		awk 'BEGIN { while (i < 1e6) i++ }'
	mkfifo pipe
	exec {reader}<>pipe {writer}>pipe {reader}<&-
	for verb in report script; do
		run -141 --separate-stderr bash -c "exec \
			'$report' $verb -i enough.data \
			>&$writer"
		[ -z "$stderr" ]
	done
}

### Environments of runtimes ###################################################

@test "live: record: --runtime-env sets variables of language runtimes, and keeps options of the user" {
	# shellcheck disable=SC2016
	print='echo "$MONO_ENV_OPTIONS|$ERL_FLAGS|$DOTNET_PerfMapEnabled|$DOTNET_EnableWriteXorExecute"'
	unset MONO_ENV_OPTIONS ERL_FLAGS DOTNET_PerfMapEnabled DOTNET_EnableWriteXorExecute
	[ "$("$record" -q -e cpu-clock:u --runtime-env sh -c "$print")" = \
		"--jitmap|+JPperf true|1|0" ]
	[ "$("$record" -q -e cpu-clock:u sh -c "$print")" = "|||" ]
	export MONO_ENV_OPTIONS=--debug DOTNET_PerfMapEnabled=3
	[ "$("$record" -q -e cpu-clock:u --runtime-env sh -c "$print")" = \
		"--jitmap --debug|+JPperf true|3|0" ]
	refuses 2 "$record" --runtime-env -p $$
	[[ $line == *"--runtime-env needs a command"* ]]
}

# named_share PATTERN COMMAND...: prints the percentage of samples of COMMAND whose
# function matches PATTERN.
named_share() {
	local pattern=$1

	shift
	"$record" -q -e cpu-clock:u -F 999 --runtime-env -- "$@" >said
	"$report" script -F pid -i dwell.data | awk 'NF { print $1 }' | sort -u >pids
	"$report" report --csv --no-children -s sym -i dwell.data | tail -n +2 |
		awk -F, -v wanted="$pattern" '{ all += $4 } $0 ~ wanted { n += $4 }
			END { printf "%d", 100 * n / all }'
	while read -r pid; do
		rm -f "/tmp/perf-$pid.map" "/tmp/jit-$pid.dump"
	done <pids
}

@test "live: record: --runtime-env gives names to functions of Mono" {
	need mono
	need mcs
	cat >loop.cs <<-'END'
		class Loop {
			static ulong Hot(ulong n)
			{
				ulong s = 1;
				for (ulong i = 0; i < n; i++)
					s = s * 636413622384679305UL + i;
				return s;
			}
			static void Main() { System.Console.WriteLine(Hot(1500000000)); }
		}
	END
	mcs -out:loop.exe loop.cs
	[ "$(named_share 'Loop:Hot' mono loop.exe)" -ge 70 ]
}

@test "live: record: --runtime-env gives names to functions of Erlang" {
	need erlang
	cat >loop.erl <<-'END'
		-module(loop).
		-export([main/0]).
		hot(0, S) -> S;
		hot(N, S) -> hot(N - 1, (S * 31 + N) band 16#ffffff).
		main() -> io:format("~p~n", [hot(300000000, 1)]), halt().
	END
	erlc loop.erl
	[ "$(named_share 'loop:hot/2' erl -noshell -s loop main)" -ge 60 ]
}
