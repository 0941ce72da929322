# SPDX-License-Identifier: GPL-2.0-or-later
# Bash completion for dwell, dwell-record and dwell-report. It needs nothing
# but bash; bash-completion loads it by the name of the command.
#
# The options are those of the tables in record/options.c and
# report/options/options.c; tests/man.sh checks that none is missing.

_dwell_record_options='-e --event --filter -F --freq -c --count -g --call-graph
	--keep-stacks --no-keep-stacks --lang --runtime-env --no-runtime-env --max-stack --user-callchains --no-user-callchains --kernel-callchains
	--no-kernel-callchains --all-user --no-all-user --all-kernel
	--no-all-kernel --exclude-perf --no-exclude-perf -p --pid
	-t --tid --name -u --uid --wait --no-wait -i --no-inherit --per-thread
	--no-per-thread -a --all-cpus --no-all-cpus -C --cpu -G --cgroup
	--record-filter -d --data --no-data --phys-data --no-phys-data -W
	--weight --no-weight --data-page-size --no-data-page-size
	--code-page-size --no-code-page-size -b --branch-any --no-branch-any
	-j --branch-filter -I --intr-regs --no-intr-regs --user-regs
	--no-user-regs -R --raw-samples --no-raw-samples -P --period
	--no-period -T --timestamp --sample-cpu --sample-identifier
	--switch-events --no-switch-events --off-cpu --no-off-cpu --min-block --no-min-block --all-cgroups --no-all-cgroups --namespaces
	--no-namespaces -o --output --pack --no-pack -z --compression-level
	--no-compression-level -D --delay --duration --max-size --control
	--overwrite --no-overwrite --switch-output --no-switch-output
	--switch-max-files --timestamp-filename --no-timestamp-filename
	-k --clockid -m --mmap-pages --queue-size -r --realtime -q --quiet
	-v --verbose -V --version -h --help'
_dwell_stat_options='-e --event --filter -n --null --no-null --all-user
	--no-all-user --all-kernel --no-all-kernel -p --pid -t --tid --name
	-u --uid --wait --no-wait -i --no-inherit -a --all-cpus --no-all-cpus
	-C --cpu -G --cgroup --for-each-cgroup -A
	--no-aggr --no-no-aggr --per-core --no-per-core
	--per-die --no-per-die --per-socket --no-per-socket --per-node
	--no-per-node --per-thread --no-per-thread -d --detailed --no-detailed
	-S --sync --no-sync --control -I --interval-print --interval-count --timeout -D
	--delay -r --repeat -x --field-separator -j --json-output
	--no-json-output -o --output --append --no-append -B --big-num
	--no-big-num -q --quiet -v --verbose -V --version -h --help'
_dwell_list_options='--all --no-all --json --no-json --names --no-names
	-q --quiet -v --verbose -V --version -h --help'
_dwell_report_options='-i --input --max-output --tui --no-tui --stdio --json --csv -s --sort -F --fields
	-b --branch-stack --no-branch-stack --mem-mode --no-mem-mode
	--off-cpu --no-off-cpu --wall --no-wall --min-block --no-min-block
	--group --no-group --time-quantum --ns --no-ns --children --no-children -g
	--call-graph --no-call-graph -G --inverted --no-inverted --max-stack
	--inline --no-inline --inline-self --no-inline-self --focus --drop --merge-fn --collapse-recursion --collapse-dso
	--hide-glue --no-hide-glue --lang-frames --cut-stacks --no-cut-stacks
	--full-source-path --no-full-source-path -p --parent -x --exclude-other --no-exclude-other --ignore-callees -U
	--hide-unresolved --no-hide-unresolved --percentage -w
	--column-widths -t --field-separator -n
	--show-nr-samples --show-total-period --symbol-filter --percent-limit
	--header --header-only -I --show-info --stats --tasks --mmaps
	--check-unwinding --max-differ
	--source-path
	--symfs --debug-dir -k --vmlinux --kallsyms --debuginfod --no-debuginfod
	--demangle --no-demangle
	--guessed-functions --no-guessed-functions -c
	--comms -d --dsos -S --symbols --pid --tid -C --cpu
	-e --event --cgroup --host --time -q --quiet -v --verbose -V --version
	-h --help'
_dwell_annotate_options='-i --input --tui --no-tui --stdio --json --html -o --output --force
	--no-force -s --symbol --limit
	--percent-limit --percent-type -n --show-nr-samples --no-show-nr-samples
	--show-total-period --no-show-total-period --source --no-source -l
	--print-line --no-print-line -P --full-paths --no-full-paths
	--asm-raw --no-asm-raw -M --disassembler-style
	--source-path --lang-frames
	--symfs --debug-dir -k --vmlinux --kallsyms --debuginfod --no-debuginfod
	--demangle --no-demangle
	--guessed-functions --no-guessed-functions -c --comms -d --dsos -S --symbols --pid --tid
	-C --cpu -e --event --cgroup --host --time -q --quiet -v --verbose
	-V --version -h --help'
_dwell_diff_options='--tui --no-tui --stdio --json --csv --html --output
	--force --no-force --group-by -c --compute --normalize --no-normalize -s --sort -o --order -b --baseline-only
	--no-baseline-only -p --period --no-period -F --formula --no-formula
	-n --show-nr-samples --no-show-nr-samples --percentage -t
	--field-separator --off-cpu --no-off-cpu --wall --no-wall --min-block
	--no-min-block --focus --drop --merge-fn --collapse-recursion --collapse-dso
	--hide-glue --no-hide-glue --lang-frames --cut-stacks --no-cut-stacks
	--full-source-path --no-full-source-path --symfs
	--debug-dir -k --vmlinux --kallsyms --debuginfod --no-debuginfod
	--demangle --no-demangle
	--guessed-functions --no-guessed-functions -C --comms -d --dsos -S --symbols --pid --tid
	--cpu -e --event --cgroup --host --time -q --quiet -v --verbose
	-V --version -h --help'
_dwell_script_options='-i --input --max-output -F --fields -G --hide-call-graph
	--no-hide-call-graph --max-stack --inline --no-inline
	--full-source-path --no-full-source-path --ns --no-ns --reltime --deltatime
	--show-task-events --show-mmap-events --show-switch-events
	--show-namespace-events --show-cgroup-events --show-lost-events
	--show-bpf-events --show-text-poke-events --show-round-events -D
	--dump-raw-trace --header --header-only -I --show-info --symfs
	--debug-dir -k --vmlinux --kallsyms --debuginfod --no-debuginfod
	--demangle --no-demangle
	--guessed-functions --no-guessed-functions -c --comms -d
	--dsos -S --symbols --addr-range --symbol-filter --pid --tid -C --cpu
	-e --event --cgroup --host --time -q --quiet -v --verbose -V --version -h
	--help'
_dwell_export_options='-i --input --max-output --group-by --inverted --no-inverted --format -o --output --force --no-force
	--off-cpu --no-off-cpu --wall --no-wall --min-block --no-min-block --inline --no-inline --inline-self --no-inline-self
	--focus --drop --merge-fn --collapse-recursion --collapse-dso
	--hide-glue --no-hide-glue --lang-frames --cut-stacks --no-cut-stacks
	--source-path
	--symfs --debug-dir -k --vmlinux --kallsyms --debuginfod --no-debuginfod
	--demangle --no-demangle
	--guessed-functions --no-guessed-functions -c --comms -d --dsos -S
	--symbols --symbol-filter --pid --tid -C --cpu -e --event --cgroup --host
	--time -q --quiet -v --verbose -V --version -h --help'
_dwell_evlist_options='-i --input --json --csv -v --verbose --no-verbose -F --freq
	--no-freq -g --group --no-group --trace-fields --no-trace-fields
	-q --quiet -V --version -h --help'
_dwell_buildid_list_options='-i --input --json --csv -H --with-hits --no-with-hits
	-q --quiet -v --verbose -V --version -h --help'
_dwell_pack_options='-i --input --max-output -o --output --force --no-force --held --level --redact --no-redact --source --no-source
	--strip --no-strip
	--source-path
	--symfs --debug-dir -k --vmlinux --kallsyms --debuginfod
	--no-debuginfod -q --quiet -v --verbose -V --version -h --help'
_dwell_unpack_options='-i --input --debug-dir -q --quiet -v --verbose
	-V --version -h --help'
_dwell_verbs='record stat list report annotate diff script export evlist buildid-list pack unpack doctor'
_dwell_doctor_options='--json -V --version -h --help'

_dwell_kinds='hardware cache software pmu raw breakpoint uprobe kprobe
	tracepoint'
_dwell_fields='dso sym parent waits_in symbol_size srcfile srcline
	srcline_from srcline_to dso_size addr comm pid tid cpu socket node time
	state event overhead overhead_children overhead_sys overhead_us
	overhead_guest_sys overhead_guest_us sample period ipc
	local_weight weight local_ins_lat ins_lat local_p_stage_cyc
	p_stage_cyc transaction cgroup cgroup_id code_page_size mem snoop tlb
	locked blocked symbol_daddr dso_daddr symbol_iaddr dcacheline
	phys_daddr data_page_size dso_from dso_to symbol_from
	symbol_to addr_from addr_to mispredict in_tx abort cycles
	trace file host'
_dwell_branches='any any_call any_ret ind_call ind_jmp call cond call_stack
	in_tx no_tx abort_tx u k hv no_flags no_cycles save_type hw_index
	priv counter'
_dwell_script_fields='comm tid pid time cpu misc period event flags trace addr
	data_src weight ins_lat retire_lat cgroup stack_origin ip sym symoff dso srcline
	iregs uregs brstack brstacksym brstackoff phys_addr data_page_size
	code_page_size'
_dwell_graphs='graph fractal flat folded none caller callee function address
	srcline percent period count'

# Short options of dwell record, of which the last one takes the next word.
_dwell_takes_next='^-[abdgiPqRTvhVW]*[eFcjptuCGoDmrk]$'

_dwell_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Completes the last element of a comma-separated list; the elements before it
# stay.
_dwell_list() {
	local done=

	if [[ $cur == *,* ]]; then
		done=${cur%,*},
	fi
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$1" -- "${cur##*,}")
	compopt -o nospace
}

# Prints the events of this machine for -e.
_dwell_events() {
	local program=${COMP_WORDS[0]}

	if [[ ${program##*/} == dwell ]]; then
		"$program" list --names 2>/dev/null
	else
		"$program" --list --names 2>/dev/null
	fi
}

# Completes an event of -e, the last one of a list. Bash splits it at its
# colons, so it is read from the line, and the text up to the last colon is
# removed from the proposals.
_dwell_event() {
	local line=${COMP_LINE:0:COMP_POINT} done='' cut=''
	local whole=${line##*[[:space:]]}

	whole=${whole#--event=}
	if [[ $whole == *,* ]]; then
		done=${whole%,*},
	fi
	if [[ $COMP_WORDBREAKS == *:* && $whole == *:* ]]; then
		cut=${whole%:*}:
	fi
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$(_dwell_events)" -- \
		"${whole##*,}")
	COMPREPLY=("${COMPREPLY[@]#"$cut"}")
	compopt -o nospace
}

# Succeeds if the word at the cursor is the value of -e.
_dwell_is_event() {
	local line=${COMP_LINE:0:COMP_POINT}

	[[ $line =~ [[:space:]](-e|--event)[[:space:]]+[^[:space:]]*$ ||
		$line =~ [[:space:]]--event=[^[:space:]]*$ ]]
}

# Completes the value of --control, which has colons and commas. Bash splits it,
# too.
_dwell_control() {
	local line=${COMP_LINE:0:COMP_POINT} whole name before

	whole=${line##*[[:space:]]}
	whole=${whole#--control=}
	compopt -o nospace
	if [[ $whole == fifo:* ]]; then
		name=${whole#fifo:}
		name=${name##*,}
		before=${whole%"$name"}
		if [[ $COMP_WORDBREAKS == *:* ]]; then
			before=${before#fifo:}
		fi
		mapfile -t COMPREPLY < <(compgen -P "$before" -f -- "$name")
	elif [[ $whole != *:* ]]; then
		_dwell_words 'fifo: fd:'
	fi
}

# Succeeds if the word at the cursor is the value of --control.
_dwell_is_control() {
	local line=${COMP_LINE:0:COMP_POINT}

	[[ $line =~ [[:space:]]--control([[:space:]]+|=)[^[:space:]]*$ ]]
}

# Completes control groups, one level at a time, like folders.
_dwell_cgroups() {
	local root='' type options before='' name found

	while read -r _ name type options _; do
		if [[ $type == cgroup2 && ! $root ||
			$type == cgroup && ,$options, == *,perf_event,* ]]; then
			root=$name
		fi
	done </proc/mounts
	name=${cur##*,}
	if [[ $cur == *,* ]]; then
		before=${cur%,*},
	fi
	compopt -o nospace
	mapfile -t found < <(compgen -d -- "$root/$name")
	for name in "${found[@]}"; do
		COMPREPLY+=("$before${name#"$root"/}")
	done
}

# Completes registers from the list that dwell prints for this machine.
_dwell_registers() {
	local program=${COMP_WORDS[0]}

	if [[ ${program##*/} == dwell ]]; then
		program="$program record"
	fi
	_dwell_list "$($program --intr-regs=? 2>/dev/null | sed 's/.*: //')"
}

_dwell_users() {
	mapfile -t COMPREPLY < <(compgen -u -- "$cur")
}

# Completes the names of processes, for --name.
_dwell_names() {
	local file name names=

	for file in /proc/[0-9]*/comm; do
		if { read -r name <"$file"; } 2>/dev/null &&
			[[ $name =~ ^[A-Za-z0-9_-]+$ ]]; then
			names+=" $name"
		fi
	done
	_dwell_words "$names"
}

# Succeeds if the word at the cursor is a value in "term=value" of
# --record-filter. Bash splits the term into words.
_dwell_is_term() {
	local line=${COMP_LINE:0:COMP_POINT}
	local option='--record-filter([[:space:]]+|=)'

	[[ $line =~ [[:space:]]${option}[a-z]+!?=[^[:space:]]*$ ]]
}

_dwell_cpus() {
	local cpu cpus=

	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		cpus+=" ${cpu##*cpu}"
	done
	_dwell_list "$cpus"
}

_dwell_files() {
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

_dwell_folders() {
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -d -- "$cur")
}

_dwell_pids() {
	local pid pids=

	for pid in /proc/[0-9]*; do
		pids+=" ${pid#/proc/}"
	done
	_dwell_list "$pids"
}

_dwell_tids() {
	local tid tids=

	for tid in /proc/[0-9]*/task/[0-9]*; do
		tids+=" ${tid##*/}"
	done
	_dwell_list "$tids"
}

# Sets $start to the index of the command of `dwell record` among the words from
# $1 on, or to nothing if there is none yet.
_dwell_find_command() {
	local i word

	start=
	for ((i = $1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		# The rest of a value that bash has split.
		if [[ $word == [:=]* ]]; then
			i=$((i + 1))
			continue
		fi
		case $word in
		--)
			start=$((i + 1))
			return ;;
		--event | --filter | --max-stack | --freq | --count | \
			--branch-filter | \
			--call-graph | --pid | --tid | --cpu | --output | \
			--delay | --duration | --max-size | \
			--control | --switch-max-files | --clockid | \
			--name | --uid | --record-filter | --cgroup | \
			--for-each-cgroup | \
			--repeat | --field-separator | --timeout | \
			--interval-print | --interval-count | \
			--mmap-pages | --queue-size | --realtime)
			i=$((i + 1))
			if [[ ${COMP_WORDS[i]-} == = ]]; then
				i=$((i + 1))
			fi ;;
		--compression-level | --switch-output | --intr-regs | \
			--user-regs)
			if [[ ${COMP_WORDS[i + 1]-} == = ]]; then
				i=$((i + 2))
			fi ;;
		--*) ;;
		-*)
			if [[ $word =~ $_dwell_takes_next ]]; then
				i=$((i + 1))
			fi ;;
		*)
			start=$i
			return ;;
		esac
	done
}

_dwell_complete_command() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$start"
	elif ((start == COMP_CWORD)); then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		_dwell_files
	fi
}

_dwell_record() {
	local start

	_dwell_find_command "$1"
	if [[ ! $start ]] && _dwell_is_event; then
		_dwell_event
		return
	fi
	if [[ ! $start ]] && _dwell_is_control; then
		_dwell_control
		return
	fi
	if [[ ! $start ]] && _dwell_is_term; then
		return
	fi
	if [[ $start ]]; then
		_dwell_complete_command
		return
	fi
	case $prev in
	-o | --output) _dwell_files ;;
	-p | --pid) _dwell_pids ;;
	-t | --tid) _dwell_tids ;;
	--name) _dwell_names ;;
	-u | --uid) _dwell_users ;;
	-C | --cpu) _dwell_cpus ;;
	-G | --cgroup) _dwell_cgroups ;;
	-F | --freq) _dwell_words max ;;
	--call-graph) _dwell_words 'fp dwarf bpf lbr auto' ;;
	-j | --branch-filter) _dwell_list "$_dwell_branches" ;;
	--intr-regs | --user-regs) _dwell_registers ;;
	--record-filter)
		compopt -o nospace
		_dwell_words 'pid= tid= uid= comm= pid!= tid!= uid!= comm!=' ;;
	--lang) _dwell_words 'auto none java node python php ruby perl luajit' ;;
	-k | --clockid)
		_dwell_words 'monotonic monotonic_raw realtime boottime tai' ;;
	--switch-output) _dwell_words 'signal 100M 1G 30s 5m 1h' ;;
	--max-size) _dwell_words '100M 1G' ;;
	-m | --mmap-pages) _dwell_words '512K 1M 4M' ;;
	--queue-size) _dwell_words '64M 256M' ;;
	--filter | --max-stack | -c | --count | -D | --delay | --duration | \
		--switch-max-files | -r | --realtime | \
		--compression-level) ;;
	*)
		if [[ $cur == -* ]]; then
			_dwell_words "$_dwell_record_options"
		else
			start=$COMP_CWORD
			_dwell_complete_command
		fi ;;
	esac
}

_dwell_stat() {
	local start _dwell_takes_next='^-[adijnABSqvhV]*[eptuCDGIorx]$'

	_dwell_find_command 2
	if [[ $start ]]; then
		_dwell_complete_command
		return
	fi
	if _dwell_is_event; then
		_dwell_event
		return
	fi
	case $prev in
	-o | --output) _dwell_files ;;
	-p | --pid) _dwell_pids ;;
	-t | --tid) _dwell_tids ;;
	--name) _dwell_names ;;
	-u | --uid) _dwell_users ;;
	-C | --cpu) _dwell_cpus ;;
	-G | --cgroup | --for-each-cgroup) _dwell_cgroups ;;
	--filter | -I | --interval-print | --interval-count | --timeout | \
		-D | --delay | -r | --repeat | -x | --field-separator | \
		--control) ;;
	*)
		if [[ $cur == -* ]]; then
			_dwell_words "$_dwell_stat_options"
		else
			start=$COMP_CWORD
			_dwell_complete_command
		fi ;;
	esac
}

# Completes the common options of dwell-report's verbs.
_dwell_reading() {
	case $prev in
	-i | --input | -o | --output) _dwell_files ;;
	-s | --sort | -F | --fields)
		if [[ $verb == evlist ]]; then
			_dwell_files
		elif [[ $verb == annotate ]]; then
			return
		elif [[ $verb == script ]]; then
			_dwell_list "$_dwell_script_fields"
		else
			_dwell_list "$_dwell_fields"
		fi ;;
	-g | --call-graph) _dwell_list "$_dwell_graphs" ;;
	--symfs | --debug-dir | --source-path) _dwell_folders ;;
	-k | --vmlinux | --kallsyms) _dwell_files ;;
	--format) _dwell_words 'folded html perf-data pprof speedscope firefox
		callgrind chrome perf-script json csv svg' ;;
	--group-by) _dwell_words 'process thread none' ;;
	-C | --cpu) _dwell_cpus ;;
	--cgroup) _dwell_cgroups ;;
	--percent-type)
		_dwell_words 'local-period local-hits global-period global-hits' ;;
	-M | --disassembler-style) _dwell_words 'att intel' ;;
	--lang-frames) _dwell_words 'fold both only native' ;;
	--percentage) _dwell_words 'relative absolute' ;;
	--time) _dwell_words '10% 10%/2 0%-10% 90%-100%' ;;
	-c | --comms | -d | --dsos | -S | --symbols | --addr-range | \
		--symbol-filter | \
		--pid | --tid | -e | --event | --max-stack | -p | --parent | \
		--ignore-callees | -w | --column-widths | -t | \
		--focus | --drop | --merge-fn | --collapse-recursion | \
		--collapse-dso | \
		--field-separator | --percent-limit | --limit | --symbol) ;;
	*)
		if [[ $cur == -* ]]; then
			_dwell_words "$1"
		else
			_dwell_files
		fi ;;
	esac
}

# Some short options have another meaning than elsewhere, as in perf.
_dwell_diff() {
	case $prev in
	-c | --compute) _dwell_words 'delta-abs delta ratio wdiff wdiff:' ;;
	--normalize) _dwell_words 'none time share' ;;
	-o) _dwell_files ;;
	--order | -C) ;;
	-F | -p)
		prev=
		_dwell_reading "$_dwell_diff_options" ;;
	*) _dwell_reading "$_dwell_diff_options" ;;
	esac
}

_dwell() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local program=${COMP_WORDS[0]##*/} verb=${COMP_WORDS[1]-} first=2

	COMPREPLY=()
	# --name=value is three words.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $prev == --@(switch-output|compression-level|intr-regs|user-regs) ]]; then
		# The value of these options is in the same word: this word is
		# not a value.
		prev=
	fi
	if [[ $program == dwell-record && $verb == --@(stat|list|doctor) ]]; then
		verb=${verb#--}
	elif [[ $program == dwell-record ]]; then
		verb=record
		first=1
	elif ((COMP_CWORD == 1)); then
		if [[ $program == dwell ]]; then
			_dwell_words "$_dwell_verbs help --help --version"
		else
			_dwell_words 'report annotate diff script export evlist buildid-list
				pack unpack --help --version'
		fi
		return
	fi
	case $verb in
	record) _dwell_record "$first" ;;
	stat) _dwell_stat ;;
	list) _dwell_words "$_dwell_list_options $_dwell_kinds" ;;
	report) _dwell_reading "$_dwell_report_options" ;;
	annotate) _dwell_reading "$_dwell_annotate_options" ;;
	diff) _dwell_diff ;;
	script) _dwell_reading "$_dwell_script_options" ;;
	export) _dwell_reading "$_dwell_export_options" ;;
	evlist) _dwell_reading "$_dwell_evlist_options" ;;
	buildid-list) _dwell_reading "$_dwell_buildid_list_options" ;;
	pack) _dwell_reading "$_dwell_pack_options" ;;
	unpack) _dwell_reading "$_dwell_unpack_options" ;;
	doctor) _dwell_words "$_dwell_doctor_options" ;;
	help) _dwell_words "$_dwell_verbs" ;;
	esac
}

complete -F _dwell dwell dwell-record dwell-report
