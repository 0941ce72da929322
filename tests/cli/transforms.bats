#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Options of dwell report, diff and export that change call stacks.

load common.bash
load terminal.bash

id=0102030405060708090a0b0c0d0e0f1011121314

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	command -v as ld >/dev/null || return 0
	make_elf app 0x400000 _start __libc_start_main main work leaf odd even
	make_elf libmade.so 0x500000 copy fill
	cat >kallsyms <<-'END'
		ffffffff81000000 T _text
		ffffffff81000100 T enter_call
		ffffffff81000200 T read_page
	END
	while read -r address _ name; do
		echo "$name 0x$address"
	done <kallsyms >>places
	echo nowhere 0x3730363035303430 >>places
}

# make_elf FILE ADDRESS NAME...: makes FILE with functions of 256 bytes from
# ADDRESS on, and appends the addresses in the functions to the file "places".
make_elf() {
	local file=$1 address=$2 at=0 name

	shift 2
	for name; do
		printf '.globl %s\n.type %s, @function\n%s: .skip 256, 0x90\n' \
			"$name" "$name" "$name"
		echo ".size $name, . - $name"
		printf '%s 0x%x\n' "$name" $((address + at++ * 256 + 16)) >>places
	done >"$file.s"
	as "$file.s" -o "$file.o"
	ld -Ttext-segment=$((address - 0x1000)) -e "$1" --build-id=0x$id "$file.o" -o "$file"
}

setup() {
	enter_test
	need as
	need ld
	cp "$BATS_FILE_TMPDIR"/{app,libmade.so,kallsyms} .
}

teardown() {
	ends
	leave_test
}

# place FUNCTION: prints the address of a sample in FUNCTION.
place() {
	awk -v name="$1" '$1 == name { print $2; exit }' \
		"$BATS_FILE_TMPDIR/places"
}

# mapping FILE ADDRESS: prints the mapping of the code of FILE.
mapping() {
	echo "record MMAP2 pid=7 tid=7 addr=$2 len=0x1000 pgoff=0x1000" \
		"prot=5 filename=$PWD/$1 build_id=$id time=2000"
}

# sample COUNT PATH: prints COUNT samples of PATH.
sample() {
	local path=$2 name at chain= mode=

	while read -r name; do
		at=$(place "$name")
		if [[ $at == 0xffff* ]]; then
			[ "$mode" = kernel ] || chain=,user$chain
			mode=kernel
		else
			mode=user
		fi
		chain=,$at$chain
	done < <(tr ';' '\n' <<<"$path")
	echo "record SAMPLE misc=$mode ip=$at pid=7 tid=7 time=3000" \
		"period=10 times=$1 chain=$mode$chain"
}

# made FILE PATH=COUNT...: makes a recording with COUNT samples of each PATH, a
# list of functions, callers first: "main;work;leaf".
made() {
	local file=$1 path

	shift
	{
		cat <<-END
			file
			event name=cycles type=hardware ids=1 sample_id_all comm
			 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN
			feature OSRELEASE str=1.2.3-made
			feature BUILD_ID build_id=[kernel.kallsyms],$id
			record COMM pid=7 tid=7 comm=app misc=exec time=1000
			record MMAP misc=kernel pid=0xffffffff
			 addr=0xffffffff81000000 len=0x100000
			 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
		END
		mapping app 0x400000
		mapping libmade.so 0x500000
		for path; do
			sample "${path##*=}" "${path%=*}"
		done
		cat "${more_records:-/dev/null}"
	} | "$DWELL_BUILD/tests/made/make_data" - "$file"
}

# folded OPTION...: prints the folded stacks of made.data.
folded() {
	dwell export --format folded -i made.data --kallsyms kallsyms "$@"
}

# rows OPTION...: prints "children self samples function" of the rows.
rows() {
	dwell report --csv -i made.data --kallsyms kallsyms -s sym "$@" |
		awk -F, 'NR > 1 {
			print $6 / 10, $5 / 10, $4, substr($7, 5) }' |
		sort -k1,1rn -k4
}

### Cut stacks #################################################################

@test "export: folded: cut stacks are below the frame [cut stacks], without addresses that are no code" {
	made made.data 'nowhere;work;leaf=5' 'nowhere;leaf=2' leaf=3 \
		'work;nowhere;work;leaf=4' 'main;work=1' 'nowhere;main;work=6' \
		main=1 _start=1 'enter_call;read_page=1' \
		'work;enter_call;read_page=2' 'work;leaf=1'
	prints cut-stacks folded
	rows | grep '^16 0 0 \[cut stacks\]$'
	run ! grep 0x373 <(rows)
	# Transforms see the frame.
	folded --focus work | grep '^app;work;leaf 10$'
	folded --drop '[cut stacks]' | grep -c 'cut' | grep '^0$'
	# As it was recorded.
	run ! grep 'cut stacks' <(folded --no-cut-stacks; rows --no-cut-stacks)
	rows --no-cut-stacks | grep '^17 0 0 0x3730363035303430$'
	dwell report --stdio --max-stack 1 -i made.data >text
	run ! grep 'cut stacks' text
}

@test "export: each format of call stacks has the frame [cut stacks]" {
	made made.data 'nowhere;work;leaf=5'
	for format in folded speedscope firefox callgrind chrome csv json svg; do
		dwell export -q --format $format -i made.data >text
		echo $format
		grep -q 'cut stacks' text
	done
	for format in perf-script perf-data; do
		dwell export -q --format $format -i made.data >text
		run ! grep 'cut stacks' text
	done
	dwell export -q --format pprof -i made.data | gzip -dc | grep -q 'cut stacks'
}

### Each option ###############################################################

@test "report: --focus uses only samples with the function, and stacks begin at its outermost call" {
	made made.data 'main;work;leaf=5' 'main;even;work;work;copy=3' main=2
	diff <(rows --focus work) - <<-'END'
	8 0 0 work
	5 5 5 leaf
	3 3 3 copy
	END
	diff <(folded --focus work) - <<-'END'
	app;work;leaf 5
	app;work;work;copy 3
	END
	# Percentages are of the samples with the function.
	dwell report --csv -i made.data -s sym --focus work | grep -q '^[^,]*,100.0000,.*work$'
	dwell report --stdio -i made.data --focus work |
		grep '^# Samples: 8 of event'
}

@test "report: --drop leaves out samples with the function, also from the total" {
	made made.data 'main;work;leaf=5' 'main;copy=3' main=2
	diff <(rows --drop work) - <<-'END'
	5 2 2 main
	3 3 3 copy
	END
	diff <(folded --drop work) - <<-'END'
	app;main 2
	app;main;copy 3
	END
	dwell report --csv -i made.data -s sym --drop work |
		grep -q '^[^,]*,100.0000,40.0000,.*main$'
}

@test "report: --merge-fn counts the time of the function for its callers" {
	made made.data 'main;work;leaf=5' 'main;work=3' 'main;work;work=1'
	diff <(rows --merge-fn work) - <<-'END'
	9 4 4 main
	5 5 5 leaf
	END
	diff <(folded --merge-fn work) - <<-'END'
	app;main 4
	app;main;leaf 5
	END
	# The sum of the own time is the total.
	diff <(rows --merge-fn leaf) - <<-'END'
	9 0 0 main
	9 9 9 work
	END
}

@test "report: --collapse-dso joins consecutive frames of a DSO" {
	made made.data 'main;copy;fill;copy=4' 'main;copy;work;fill;copy=2' \
		'main;leaf=1'
	prints rows-collapse-dso-libmade-so rows --collapse-dso libmade.so
	diff <(folded --collapse-dso libmade.so) - <<-'END'
	app;main;[libmade.so] 4
	app;main;[libmade.so];work;[libmade.so] 2
	app;main;leaf 1
	END
	# The DSO keeps its name, and can be named by its path.
	dwell report --csv -i made.data -s dso,sym \
		--collapse-dso "$PWD/libmade.so" |
		grep ',libmade.so,\[\.\] \[libmade.so\]$'
}

@test "report: --collapse-dso keeps the brackets of the kernel's name" {
	made made.data 'main;work;enter_call;read_page=4' 'main;enter_call=3' \
		'main;work=1'
	diff <(rows --collapse-dso '[kernel.kallsyms]') - <<-'END'
	8 0 0 main
	7 7 7 [kernel.kallsyms]
	5 1 1 work
	END
	dwell report --csv -i made.data --kallsyms kallsyms -s sym \
		--collapse-dso '[kernel.kallsyms]' |
		grep ',\[k\] \[kernel.kallsyms\]$'
}

@test "report: --collapse-recursion keeps the outermost call" {
	made made.data 'main;odd;even;odd;leaf=4' 'main;odd;odd=3' \
		'main;even;odd;even=2' 'main;even=1'
	prints folded-collapse-recursion-odd folded --collapse-recursion odd
	prints rows-collapse-recursion rows --collapse-recursion odd --collapse-recursion even
}

@test "report: --hide-glue removes start code" {
	made made.data '_start;__libc_start_main;main;work=4' \
		'_start;__libc_start_main=3' '_start=2'
	diff <(folded --hide-glue) - <<-'END'
	app;__libc_start_main 3
	app;_start 2
	app;main;work 4
	END
	prints rows-hide-glue rows --hide-glue
	diff <(rows --hide-glue --no-hide-glue) <(rows)
}

### Several options ############################################################

@test "report: options that change stacks are applied in the order of the command line" {
	made made.data 'main;work;leaf=5' 'main;leaf=3'
	diff <(folded --focus work --merge-fn work) - <<-'END'
	app;leaf 5
	END
	# No stack has "work" any more.
	diff <(folded --merge-fn work --focus work 2>said) /dev/null
	grep 'no sample passes the filters and limits' said
	diff <(folded --collapse-dso app --drop leaf) - <<-'END'
	app;[app] 8
	END
	diff <(folded --drop leaf --collapse-dso app) /dev/null
	diff <(folded --collapse-dso app --merge-fn '[app]') - <<-'END'
	app;[app] 8
	END
}

@test "report: each option that changes stacks can be given several times" {
	made made.data 'main;work;odd;leaf=5' 'main;work;odd=2' main=1
	diff <(folded --merge-fn work --merge-fn odd) - <<-'END'
	app;main 3
	app;main;leaf 5
	END
	diff <(folded --focus main --focus odd) - <<-'END'
	app;odd 2
	app;odd;leaf 5
	END
	diff <(folded --drop leaf --drop odd) - <<-'END'
	app;main 1
	END
}

@test "report: if all frames would be removed, the innermost one stays" {
	made made.data 'main;work=5' 'main;main=3'
	diff <(folded --merge-fn work --merge-fn main) - <<-'END'
	app;main 8
	END
	diff <(rows --merge-fn main) - <<-'END'
	5 5 5 work
	3 3 3 main
	END
}

@test "report: options that change stacks work with --no-children and -g none" {
	made made.data 'main;work;leaf=5' 'main;leaf=3'
	diff <(rows --no-children -g none --merge-fn leaf) - <<-'END'
	5 5 5 work
	3 3 3 main
	END
}

@test "report: -S and -d are applied after the options that change stacks" {
	made made.data 'main;work;copy=5' 'main;work=2' main=1
	diff <(folded --merge-fn copy -S work) - <<-'END'
	app;main;work 7
	END
	diff <(folded --merge-fn copy -d libmade.so) /dev/null
	diff <(folded --collapse-dso libmade.so -S '[libmade.so]') - <<-'END'
	app;main;work;[libmade.so] 5
	END
	rows -S main --merge-fn work --merge-fn copy | grep -x '8 8 8 main'
}

@test "report: --focus and --drop apply to all threads, and then -c leaves out threads" {
	cat >other <<-'END'
		record COMM pid=8 tid=8 comm=other misc=exec time=1000
	END
	sample 4 'main;work' | sed 's/pid=7 tid=7/pid=8 tid=8/' >>other
	mapping app 0x400000 | sed 's/pid=7 tid=7/pid=8 tid=8/' >>other
	more_records=other made made.data 'main;work=4' main=2
	# The total is the number of samples with "work" in all threads.
	dwell report --csv -i made.data -s sym -c app --focus work |
		grep '^[^,]*,50.0000,50.0000,4,40,40,\[\.\] work$'
}

@test "report: if the sampled function is missing in the call chain, it counts as the innermost frame" {
	cat >bare <<-END
		record SAMPLE misc=kernel ip=$(place read_page) pid=7 tid=7
		 time=3000 period=10 times=4
		 chain=user,$(place work),$(place main)
	END
	more_records=bare made made.data main=1
	diff <(rows) - <<-'END'
	5 1 1 main
	4 4 4 read_page
	4 0 0 work
	END
	diff <(rows --drop main) /dev/null
	diff <(rows --focus read_page) - <<-'END'
	4 4 4 read_page
	END
	diff <(rows --merge-fn read_page) - <<-'END'
	5 1 1 main
	4 4 4 work
	END
	diff <(rows --merge-fn work) - <<-'END'
	5 1 1 main
	4 4 4 read_page
	END
	diff <(folded --merge-fn main --merge-fn work) - <<-'END'
	app;main 1
	app;work 4
	END
}

### Names ######################################################################

@test "report: a message about a function or DSO that no stack has suggests the nearest name" {
	made made.data 'main;work;copy=5'
	rows --merge-fn wrok 2>said
	grep "^dwell report: no sampled function is named 'wrok'; did you mean 'work'?$" said
	rows --collapse-dso libmad.so 2>said
	grep "no sampled program or library is named 'libmad.so'; did you mean 'libmade.so'?$" said
	rows --focus main --drop leaf --merge-fn work 2>said
	[ "$(cat said)" = "dwell report: no sampled function is named 'leaf'" ]
	for format in folded json svg speedscope; do
		dwell export --format $format -i made.data --merge-fn wrok \
			--kallsyms kallsyms 2>&1 >out |
			grep "no sampled function is named 'wrok'; did you mean 'work'?$"
	done
	dwell report --csv -i made.data --merge-fn work --focus copy \
		--collapse-dso app 2>said
	[ ! -s said ]
}

@test "report: --focus without a match prints an empty report, like a filter" {
	made made.data 'main;work=5'
	run --separate-stderr dwell report --csv -i made.data --focus nothing
	[ "$status" = 0 ]
	[ "$output" = "$(dwell report --csv -i made.data -S nothing 2>/dev/null)" ]
	[[ $stderr == *"no sample passes the filters and limits"* ]]
	[[ $stderr == *"no sampled function is named 'nothing'"* ]]
}

@test "report: an empty name of a function or DSO is an error" {
	made made.data main=1
	for option in focus drop merge-fn collapse-recursion collapse-dso; do
		refuses 2 dwell report -i made.data --$option ''
		[[ $line == *"--$option: the name is empty" ]]
	done
	refuses 2 dwell report -i made.data --focus
	refuses 2 dwell report -i made.data --hide-glue=x
}

### Exports ####################################################################

# These stacks have a function of each kind.
made_several() {
	made made.data '_start;main;work;copy;fill;enter_call;read_page=5' \
		'_start;main;odd;even;odd;leaf=4' '_start;main;work;work;leaf=3' \
		'_start;main;work;work=2' '_start;main=1'
}

# merged FUNCTION: merges FUNCTION in the folded stacks of standard input.
merged() {
	awk -v name="$1" '
		{
			n = split($1, frames, ";")
			path = frames[1]
			for (i = 2; i <= n; i++)
				if (frames[i] != name)
					path = path ";" frames[i]
			sum[path] += $2
		}
		END {
			for (path in sum)
				print path, sum[path]
		}' | LC_ALL=C sort
}

@test "export: --merge-fn prints the same folded stacks as merging the function in the printed text" {
	made_several
	for name in work leaf odd read_page enter_call; do
		diff <(folded --merge-fn "$name") <(folded | merged "$name")
	done
	diff <(folded --merge-fn work --merge-fn odd) \
		<(folded | merged work | merged odd)
}

# Adds the numbers of equal lines "TEXT NUMBER" of standard input.
added() {
	awk '{
			n = $NF
			sub(/ [0-9]+$/, "")
			sum[$0] += n
		}
		END {
			for (text in sum)
				print text, sum[text]
		}' | LC_ALL=C sort
}

# stacks_of FORMAT: exports made.data, and prints its stacks as "main;leaf
# SAMPLES". The other arguments are options of dwell export.
stacks_of() {
	dwell export -i made.data --kallsyms kallsyms --format "$@" >exported
	python3 - "$1" <<-'END' | added
		import csv, json, sys

		form, file = sys.argv[1], open("exported")
		if form == "csv":
		    for row in csv.DictReader(file):
		        print(row["stack"], row["samples"])
		    sys.exit()
		data = json.load(file)
		if form == "json":
		    for stack in data["stacks"]:
		        print(";".join(data["frames"][i]["symbol"]
		            for i in stack["frames"]), stack["samples"])
		elif form == "speedscope":
		    names = [frame["name"] for frame in data["shared"]["frames"]]
		    for profile in data["profiles"]:
		        for stack, weight in zip(profile["samples"],
		                profile["weights"]):
		            print(";".join(names[i] for i in stack), weight // 10)
		elif form == "firefox":
		    for thread in data["threads"]:
		        stacks, frames = thread["stackTable"], thread["frameTable"]
		        for at in thread["samples"]["stack"]:
		            path = []
		            while at is not None:
		                function = frames["func"][stacks["frame"][at]]
		                path.insert(0, thread["stringArray"][
		                    thread["funcTable"]["name"][function]])
		                at = stacks["prefix"][at]
		            print(";".join(path), 1)
	END
}

# Prints "FUNCTION SAMPLES" of the own costs in a callgrind export of made.data.
own_costs() {
	dwell export -i made.data --kallsyms kallsyms --format callgrind "$@" |
		python3 -c '
import re, sys
names, function, is_call = {}, None, False
for line in sys.stdin:
    named = re.match(r"(c?fn)=(\(\d+\))(?: (.*))?$", line)
    if named:
        if named[3]:
            names[named[2]] = named[3]
        if named[1] == "fn":
            function = named[2]
    elif re.match(r"\d", line) and not is_call:
        print(names[function], line.split()[1])
    is_call = line.startswith("calls=")
' | added
}

# svg_functions: prints the functions in an SVG export of made.data.
svg_functions() {
	dwell export -i made.data --kallsyms kallsyms --format svg "$@" |
		sed -n 's/.*<title>\(.*\): [0-9.]* %, .*/\1/p' |
		sed 's/ \[[^ ]*\]$//' | grep -vx 'all\|app' | LC_ALL=C sort -u
}

# Fails if another export with these options differs from folded stacks.
agrees_with_folded() {
	folded "$@" | sed 's/^app;//' >folded
	for format in csv json speedscope firefox; do
		echo "$format: $*"
		stacks_of $format "$@" | diff folded -
	done
	echo "callgrind, svg: $*"
	own_costs "$@" | diff <(sed 's/.*;//' folded | added) -
	svg_functions "$@" | diff <(sed 's/ [0-9]*$//' folded | tr ';' '\n' |
		LC_ALL=C sort -u) -
}

@test "export: all formats have the same numbers after options that change stacks" {
	need python3
	made_several
	agrees_with_folded
	agrees_with_folded --focus work
	agrees_with_folded --drop copy
	agrees_with_folded --merge-fn work
	agrees_with_folded --collapse-dso app
	agrees_with_folded --collapse-dso '[kernel.kallsyms]' \
		--collapse-dso libmade.so
	agrees_with_folded --collapse-recursion work --collapse-recursion odd
	agrees_with_folded --hide-glue
	agrees_with_folded --hide-glue --focus main --merge-fn leaf \
		--collapse-recursion work -S work
}

@test "export: chrome: --focus and --drop leave out samples" {
	made_several
	# chrome OPTION...: prints the functions with their durations.
	chrome() {
		dwell export --format chrome -i made.data "$@" |
			sed -n 's/.*"dur":\([0-9]*\),"name":"\([^"]*\)".*/\2 \1/p' |
			LC_ALL=C sort
	}
	prints chrome-focus-odd chrome --focus odd
	prints chrome-drop chrome --drop copy --drop odd --collapse-recursion work
	# The filter sees the changed stacks.
	diff <(chrome -S work --merge-fn leaf --focus main) - <<-'END'
	main 5
	work 5
	work 5
	END
}

@test "export: pprof: each changed frame is a location of its own" {
	need go
	made_several
	dwell export --format pprof -i made.data --kallsyms kallsyms -o out \
		--merge-fn work --collapse-dso libmade.so
	HOME=$PWD go tool pprof -top -sample_index=samples out 2>/dev/null |
		awk '$2 ~ /%$/ && $1 ~ /^[0-9]/ && $1 > 0 {
			print $6, $1 }' | LC_ALL=C sort |
		diff - <(folded --merge-fn work --collapse-dso libmade.so |
			sed 's/.*;//' | added)
}

@test "export: perf-script and perf-data are refused with options that change stacks" {
	made made.data main=1
	for format in perf-script perf-data; do
		for option in --focus=main --drop=main --merge-fn=main \
			--collapse-recursion=main --collapse-dso=app \
			--hide-glue --inline-self; do
			refuses 2 dwell export -i made.data --format $format \
				-o out $option
			[[ $line == *"${option%=*} requires another --format than perf-data and perf-script"* ]]
		done
		[ ! -e out ]
	done
	dwell export -i made.data --format perf-script --no-hide-glue >out
}

@test "diff: options that change stacks are applied to all recordings" {
	made made.data 'main;work;leaf=5' 'main;leaf=5'
	mv made.data old.data
	made made.data 'main;work;leaf=8' 'main;even=2'
	diff <(dwell diff --csv -s sym --merge-fn leaf old.data made.data |
		cut -d, -f4,8,19) - <<-'END'
	base_period,period,sym
	50,0,[.] main
	50,80,[.] work
	0,20,[.] even
	END
	run -1 --separate-stderr dwell diff old.data made.data --focus wokr
	[ "$stderr" = "dwell diff: no sampled function is named 'wokr'; did you mean 'work'?
dwell diff: old.data: nothing to compare: no sample passes the filters" ]
	run -1 --separate-stderr dwell diff --html old.data made.data \
		--focus wokr
	[[ $stderr == *"did you mean 'work'?"* ]]
	dwell diff --html old.data made.data --focus work >page
}

### Inlined functions ##########################################################

# made_inlined: makes a recording of a program in which main calls "work", with
# "inner" inlined into "outer" and "outer" inlined into "work": 4 samples are in
# "inner", 5 in "outer", 6 in "leaf", called in "outer", and 1 in "work" itself.
made_inlined() {
	local inner outer call work main leaf

	need gcc
	need objcopy
	need readelf
	cat >inlined.c <<-'END'
		#define HERE(name) "nop\n1: nop\n.pushsection .made_" name \
			",\"a\"\n.quad 1b\n.popsection\nnop"
		#define INLINE static inline __attribute__((always_inline)) void
		__attribute__((noinline)) void leaf(void)
		{
			__asm__ volatile(HERE("leaf"));
		}
		INLINE inner(void)
		{
			__asm__ volatile(HERE("inner"));
		}
		INLINE outer(void)
		{
			__asm__ volatile(HERE("outer"));
			inner();
			__asm__ volatile("call leaf\n" HERE("call"));
		}
		__attribute__((noinline)) void work(void)
		{
			__asm__ volatile(HERE("work"));
			outer();
			__asm__ volatile(HERE("work_end"));
		}
		void main(void)
		{
			__asm__ volatile(HERE("main"));
			work();
			__asm__ volatile(HERE("main_end"));
		}
	END
	gcc -O2 -g -ffreestanding -fno-asynchronous-unwind-tables -c inlined.c
	ld -Ttext-segment=0x3ff000 -e main --build-id=0x$id inlined.o \
		-o inlined
	for name in inner outer call work main leaf; do
		objcopy -O binary --only-section=".made_$name" inlined part
		printf -v "$name" '0x%s' "$(od -An -v -t x8 part | tr -d ' ')"
	done
	mapping_of_code=$(readelf -lW inlined |
		awk '/R E/ && $1 == "LOAD" { print "addr=" $3, "pgoff=" $2 }')
	"$DWELL_BUILD/tests/made/make_data" - made.data <<-END
		file
		event name=cycles type=hardware ids=1 sample_id_all comm
		 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN
		record COMM pid=7 tid=7 comm=app misc=exec time=1000
		record MMAP2 pid=7 tid=7 len=0x1000 $mapping_of_code prot=5
		 filename=$PWD/inlined build_id=$id time=2000
		record SAMPLE ip=$inner pid=7 tid=7 time=3000 period=10 times=4
		 chain=user,$inner,$main
		record SAMPLE ip=$outer pid=7 tid=7 time=3000 period=10 times=5
		 chain=user,$outer,$main
		record SAMPLE ip=$leaf pid=7 tid=7 time=3000 period=10 times=6
		 chain=user,$leaf,$call,$main
		record SAMPLE ip=$work pid=7 tid=7 time=3000 period=10
		 chain=user,$work,$main
	END
}

@test "report: --inline-self counts self time for the innermost inlined function" {
	made_inlined
	prints rows-no-inline-self rows
	prints rows-inline-self rows --inline-self
	# Also without callers; and without inlined functions, it has no effect.
	prints rows-inline-self-no-children rows --inline-self --no-children -g none
	diff <(rows --inline-self --no-inline) <(rows --no-inline)
	diff <(rows --inline-self --no-inline-self) <(rows)
	[ "$(dwell report --json -s sym -i made.data --inline-self |
		grep -c '"sym": "\[.\] inner (inlined)"')" = 1 ]
}

@test "report: -S selects samples in an inlined function with --inline-self" {
	made_inlined
	diff <(rows -S inner) /dev/null
	rows -S inner --inline-self | grep -x '4 4 4 inner (inlined)'
	diff <(folded -S inner --inline-self) - <<-'END'
	app;main;work;outer (inlined);inner (inlined) 4
	END
	stacks_of speedscope -S inner --inline-self >stacks
	diff stacks - <<-'END'
	main;work;outer;inner 4
	END
}

@test "report: options that change stacks accept names of inlined functions" {
	made_inlined
	diff <(folded --merge-fn outer) - <<-'END'
	app;main;work 6
	app;main;work;inner (inlined) 4
	app;main;work;leaf 6
	END
	prints rows-merge-fn-work rows --merge-fn work
	prints rows-inline-self-merge-fn-inner rows --inline-self --merge-fn inner
	# The own time of "work" stays in the stack if "work" is cut off.
	diff <(rows --focus outer) - <<-'END'
	15 9 9 outer (inlined)
	6 6 6 leaf
	4 0 0 inner (inlined)
	END
	diff <(folded --collapse-dso inlined) - <<-'END'
	app;[inlined] 16
	END
	agrees_in_order --merge-fn outer --focus work
	# No note: an inlined function is a function.
	folded --merge-fn outer 2>said
	[ ! -s said ]
}

# Compares formats whose names have no mark of inlined functions.
agrees_in_order() {
	folded "$@" | sed 's/^app;//; s/ (inlined)//g' >folded
	for format in json speedscope firefox; do
		stacks_of $format "$@" | diff folded -
	done
	own_costs "$@" | diff <(sed 's/.*;//' folded | added) -
}

@test "export: pprof has the same inlined functions as folded stacks" {
	need go
	made_inlined
	for options in '' '--merge-fn outer' '--focus outer' \
		'--collapse-recursion work --merge-fn inner'; do
		dwell export --format pprof -i made.data -o "out" --force $options
		HOME=$PWD go tool pprof -top -sample_index=samples out \
			2>/dev/null | awk '$2 ~ /%$/ && $1 ~ /^[0-9]/ && $1 > 0 {
				print $6, $1 }' | LC_ALL=C sort >tops
		diff tops <(folded $options |
			sed 's/ (inlined)//g; s/.*;//' | added) || {
			echo "$options"
			return 1
		}
	done
}

@test "tui: --inline-self is the default, and --no-inline-self turns it off" {
	need tmux ncurses
	made_inlined
	on_terminal report --children -i made.data
	sees '25.00%    25.00%  app      inlined        [.] inner (inlined)'
	ends
	on_terminal report --children -i made.data --no-inline-self
	sees '25.00%     0.00%  app      inlined        [.] inner (inlined)'
	sees '100.00%    62.50%  app      inlined        [.] work'
	ends
	on_terminal report --children -i made.data --no-inline
	sees '100.00%    62.50%  app      inlined        [.] work'
}

@test "tui: options that change stacks are shown, and the key a on a collapsed DSO prints a message" {
	need tmux ncurses
	made made.data 'main;work;leaf=5' 'main;copy;fill=3' main=2
	on_terminal report --children -i made.data --drop leaf --collapse-dso libmade.so
	sees '60.00%    60.00%  app      libmade.so     [.] [libmade.so]'
	sees 'drop leaf'
	sees 'collapse-dso libmade.so'
	keys Down a
	sees 'this line is code of several functions'
}

# own_samples FUNCTION OPTION...: prints the samples of FUNCTION itself in dwell annotate.
own_samples() {
	dwell annotate -i made.data "$@" | sed -n 's/^# \([0-9]*\) samples of event.*/\1/p'
}

# with_python FUNCTION...: later recordings also have an interpreter with these functions, and
# the function "interpreted" of Python.
with_python() {
	make_elf python3.11 0x600000 "$@"
	echo interpreted 0x700010 >>places
	cat places >>"$BATS_FILE_TMPDIR/places"
	{
		mapping python3.11 0x600000
		mapping '[python]' 0x700000 | sed "s,filename=$PWD/,filename=,"
	} >mappings
}

@test "export: stacks with and without functions of Python have the same root" {
	with_python begin run evaluate
	more_records=mappings made made.data \
		'begin;copy;run;evaluate;interpreted;evaluate;work=5' \
		'begin;copy;run;evaluate;interpreted;evaluate=2' \
		'begin;copy;run;leaf=3' 'copy;evaluate;interpreted=1'
	diff <(folded --lang-frames fold | sort) - <<-'END'
	app;begin;copy;[python] 2
	app;begin;copy;[python];work 5
	app;begin;copy;run;leaf 3
	app;copy;[python] 1
	END
}

@test "annotate: self time of a function is that of report with each value of --lang-frames" {
	with_python evaluate compare
	more_records=mappings made made.data \
		'main;evaluate;interpreted;work;compare=5' 'main;work;compare=2' \
		'main;interpreted;work=1' 'main;work;interpreted=4' leaf=3
	for options in "both 1 7" "fold 6 2" "native 5 7"; do
		read -r which work compare <<<"$options"
		[ "$(own_samples --lang-frames "$which" work)" = "$work" ]
		[ "$(own_samples --lang-frames "$which" compare)" = "$compare" ]
		diff <(rows --lang-frames "$which" -g none --no-children |
			awk '$4 ~ /^(work|compare)$/ { print $4, $3 }') \
			<(printf '%s\n' "work $work" "compare $compare" | sort -k2,2rn -k1,1)
	done
	dwell annotate -i made.data --lang-frames fold -n work >annotated
	grep -x '# 12 samples with its callees, 80.00% of all' annotated
}

@test "tui: the code of a function includes the self time that --merge-fn adds to it" {
	need tmux ncurses
	made made.data 'main;work;leaf=5' 'main;work=2' main=3
	on_terminal report -i made.data --merge-fn leaf
	sees '70.00%  app      app            [.] work'
	keys a
	sees "7 samples of event 'cycles:HG', 70.00% of all"
}

### Recordings #################################################################

# record_sorting: records a program that sorts with a lambda.
record_sorting() {
	need g++
	cat >sorting.cpp <<-'END'
		#include <algorithm>
		#include <ctime>
		#include <functional>
		#include <map>
		#include <string>
		#include <vector>
		static volatile unsigned sink;
		struct item {
			unsigned key;
			std::string name;
		};
		__attribute__((noinline)) unsigned weigh(const item &of)
		{
			unsigned key = of.key;
			for (int i = 0; i < 10; i++)
				key = key * 1103515245u + 12345u;
			return key;
		}
		__attribute__((noinline)) void sort_items(std::vector<item> &items)
		{
			std::sort(items.begin(), items.end(),
				[](const item &a, const item &b) {
					return weigh(a) < weigh(b);
				});
		}
		__attribute__((noinline)) unsigned count_items(
			const std::vector<item> &items,
			std::function<unsigned(const item &)> value)
		{
			std::map<std::string, unsigned> sums;
			unsigned sum = 0;
			for (auto &one : items)
				sums[one.name] += value(one);
			std::for_each(sums.begin(), sums.end(),
				[&](auto &pair) { sum += pair.second; });
			return sum;
		}
		int main()
		{
			while (clock() < CLOCKS_PER_SEC / 2) {
				std::vector<item> items;
				for (unsigned i = 0; i < 4000; i++)
					items.push_back({ i * 2654435761u,
						std::to_string(i % 97) });
				sort_items(items);
				sink = count_items(items,
					[](const item &one) { return weigh(one); });
			}
			return 0;
		}
	END
	g++ -O2 -g -fno-optimize-sibling-calls sorting.cpp -o sorting
	dwell record -q -e cpu-clock:u -F 2000 --call-graph dwarf -o made.data \
		-- ./sorting
}

@test "live: report: --hide-glue removes frames of the C++ library and of start code" {
	need python3
	record_sorting
	dwell export --format folded -i made.data >plain
	dwell export --format folded -i made.data --hide-glue >hidden
	grep -E ';sort_items;.*std::' plain
	grep -E ';_start;' plain
	# Only a sampled function without callers of the program stays.
	grep -E '[;](std|__gnu_cxx)::' hidden | grep -vE '^sorting;[^;]*$' &&
		return 1
	grep -E ';(_start|__libc_start_[a-z_@A-Z0-9.]*)(;| [0-9]+$)' hidden |
		grep -vE '^sorting;[^;]*$' && return 1
	grep -E '^sorting;main;sort_items;' hidden
	grep -E '^sorting;main;count_items' hidden
	# No sample is lost.
	diff <(awk '{ n += $NF } END { print n }' plain) \
		<(awk '{ n += $NF } END { print n }' hidden)
}

@test "live: report: with each option that changes stacks, self times add up to the total" {
	local all

	record_sorting
	all=$(dwell report --csv -i made.data -g none |
		awk -F, 'NR > 1 { n += $4 } END { print n }')
	for options in --inline-self --hide-glue "--inline-self --hide-glue" \
		"--merge-fn weigh" "--collapse-dso sorting --inline-self" \
		"--collapse-recursion sort_items"; do
		dwell report --csv -i made.data -s dso,sym $options |
			awk -F, -v all="$all" 'NR > 1 {
					n += $4
					if ($2 > 100 || $3 > $2)
						bad = 1
				}
				END { exit bad || n != all }' || {
			echo "$options: not $all samples"
			return 1
		}
	done
}
