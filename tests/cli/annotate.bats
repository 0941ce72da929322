#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dwell annotate: instructions and lines of functions with their samples. The
# recordings are of a program that is built here, so its addresses are known.

load common.bash
load walk.bash

@test "annotate: each instruction shows its percentage and the source line that it was compiled from" {
	build
	recording w.data "ip=$walk period=100 times=3" \
		"ip=$((walk + 1)) period=100" "ip=$stroll period=600"
	need capstone
	dwell annotate -i w.data walk >text
	cat text
	grep "^# walk in walk, 0x" text
	grep "^# 4 samples of event 'cycles:HG', 40.00% of all (percent: local-period)$" text
	# A sample inside of an instruction counts for the instruction.
	[ "$(grep -cE '^ +[0-9.]+ \|' text)" = 1 ]
	grep -E "^  100\.00 \|  +$(printf %x "$walk")  " text
	grep -E '^ +\| walk\.c:10  +.*while \(n--\) \{$' text
	grep -E '^ +\| walk\.c:5 \(inlined mix\)  .*return x \* 1103515245u' text
	grep -E '^ +\| ; loop of [0-9]+ instructions, 0\.00%$' text
	grep -E 'L1 .*-> ' text
	grep -E "'--.* L1\$" text
	grep -E '# [0-9a-f]+ <sink>$' text
	run ! grep -q stroll text
}

@test "annotate: without a function name, it prints the functions with the most samples, up to --limit" {
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=600"
	need capstone
	dwell annotate -i w.data >text
	[ "$(grep -oE '^# (walk|stroll) in' text | xargs)" = \
		"# stroll in # walk in" ]
	# A call shows the name of its target, which has no samples.
	grep -E 'callq?  [0-9a-f]+ <walk>$' text
	dwell annotate -i w.data --limit 1 >text 2>errors
	[ "$(grep -c '^# .* in walk,' text)" = 1 ]
	grep -q '1 more functions were sampled. To annotate all: --limit 0' errors
	dwell annotate -i w.data --percent-limit 20 >text 2>errors
	[ "$(grep -c '^# .* in walk,' text)" = 1 ]
	[ ! -s errors ]
	dwell annotate -i w.data --limit 0 walk stroll >text
	[ "$(grep -c '^# .* in walk,' text)" = 2 ]
}

@test "annotate: each event has its own listing of a function; -e, -d, -S and --pid leave out samples" {
	build
	recording w.data "ip=$walk period=100" "event=1 ip=$stroll period=5"
	need capstone
	dwell annotate -i w.data >text
	grep -A 1 '^# walk in' text | grep "event 'cycles:HG', 100.00%"
	grep -A 1 '^# stroll in' text | grep "event 'cache-misses:HG', 100.00%"
	dwell annotate -i w.data -e 'cache-misses*' >text
	run ! grep '^# walk in' text
	dwell annotate -i w.data -d other >text 2>errors
	[ ! -s text ]
	grep -q 'no sampled function matches the filters' errors
	dwell annotate -i w.data --pid 8 >text 2>errors
	[ ! -s text ]
	dwell annotate -i w.data -d walk -S walk >text
	grep '^# walk in' text
	run ! grep '^# stroll in' text
}

@test "annotate: --percent-type selects what 100 % is; -n and --show-total-period add columns of numbers" {
	build
	recording w.data "ip=$walk period=100 times=3" \
		"ip=$((walk + 1)) period=100" "ip=$stroll period=600"
	need capstone
	share() {
		dwell annotate -i w.data --percent-type "$1" walk |
			awk '$1 ~ /^[0-9]/ { print $1 }'
	}
	[ "$(share local-hits)" = 100.00 ]
	[ "$(share global-period)" = 40.00 ]
	[ "$(share global-hits)" = 80.00 ]
	dwell annotate -i w.data -n --show-total-period --asm-raw walk >text
	grep -E '^ Percent +Samples +Period \|$' text
	grep -E '^  100\.00 +4 +400 \|  +[0-9a-f]+  ([0-9a-f]{2} )+' text
	dwell annotate -i w.data --no-source walk >text
	run ! grep -q 'walk\.c' text
	dwell annotate -i w.data -l -P walk >text
	grep -A 3 '^# Percent  Source line$' text |
		grep -E "^  100\.00   $PWD/walk\.c:[0-9]+  "
	dwell annotate -i w.data -M intel walk >text
	grep -E 'dword ptr \[rip \+ 0x[0-9a-f]+\]  # [0-9a-f]+ <sink>$' text
}

@test "annotate: --json has the instructions, source lines, loops and calls of a function" {
	need python3
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=300"
	need capstone
	dwell annotate --json -i w.data >json
	python3 - <<-'END'
		import json
		found = json.load(open("json"))
		assert found["version"] == 1
		stroll, walk = found["functions"]
		assert (walk["sym"], walk["dso"]) == ("walk", "walk")
		assert walk["percent_of_all"] == 25
		lines = walk["lines"]
		assert sum(line["size"] if "size" in line else
		    len(line["bytes"]) // 2 for line in lines) == walk["size"]
		assert lines[0]["percent"] == 100 and lines[0]["samples"] == 1
		assert lines[-1]["kind"] == "return"
		loop = walk["loops"][0]
		back = lines[loop["last"]]
		assert back["kind"] == "branch"
		assert back["target"] == lines[loop["head"]]["address"]
		assert lines[loop["head"]]["depth"] == 1
		sources = walk["sources"]
		assert any("while (n--)" in source["text"]
		    for source in sources)
		assert any(line.get("inlined") == "mix" for line in lines)
		assert sum(source["period"] for source in sources) == 100
		calls = [line for line in stroll["lines"]
		    if line["kind"] == "call"]
		assert [call["name"] for call in calls] == ["walk", "walk"]
		assert "blocks" not in walk
	END
}

# record_callers: writes t.data, 10 samples with call chains. Two of them have both calls
# of walk on the stack, as if stroll had called itself.
record_callers() {
	build
	find_calls
	with_chains=yes
	recording t.data \
		"ip=$walk period=100 times=3 chain=user,$walk,$first_return" \
		"ip=$walk period=100 times=4 chain=user,$walk,$second_return" \
		"ip=$walk period=100 times=2 chain=user,$walk,$first_return,$second_return,$second_return" \
		"ip=$second_return period=100 chain=user,$second_return"
}

@test "annotate: with call chains, instructions and source lines have totals with callees" {
	need python3
	need capstone
	record_callers
	dwell annotate --json -i t.data >json
	python3 - "$first_call" "$second_call" "$second_return" <<-'END'
		import json, sys
		functions = json.load(open("json"))["functions"]
		walk, stroll = functions
		assert (walk["sym"], stroll["sym"]) == ("walk", "stroll")
		assert (stroll["samples"], stroll["total_samples"]) == (1, 10)
		assert (walk["samples"], walk["total_samples"]) == (9, 9)
		assert stroll["total_percent_of_all"] == 100
		at = {int(line["address"], 16): line for line in stroll["lines"]}
		first, second, behind = (at[int(one, 16)] for one in sys.argv[1:])
		# Each sample once, also if the function called itself.
		def numbers(at):
		    return at["samples"], at["total_samples"], at["total_period"]
		assert numbers(first) == (0, 5, 500)
		assert numbers(second) == (0, 6, 600)
		assert numbers(behind) == (1, 1, 100)
		assert (first["total_percent"], behind["percent"]) == (50, 10)
		assert sum(line["total_samples"]
		    for line in stroll["lines"]) == 5 + 6 + 1
		[line] = [source for source in stroll["sources"]
		    if "walk(n) + walk" in source["text"]]
		assert numbers(line) == (1, 10, 1000)
	END
	dwell annotate -i t.data stroll >text
	cat text
	grep -x '# 10 samples with its callees, 100.00% of all' text
	grep -x '   Total    Self |' text
	grep -E "^   50\.00         \|  +$(printf %x "$first_call")  " text
	grep -E "^   60\.00         \|  +$(printf %x "$second_call")  " text
	grep -E "^   10\.00   10\.00 \|  +$(printf %x "$second_return")  " text
	# A source line has the numbers of its instructions, each sample once.
	grep -E '^  100\.00   10\.00 \| walk\.c:[0-9]+  .*walk\(n\) \+ walk' text
	dwell annotate -i t.data -l stroll >text
	grep -A 3 '^#  Total    Self   Source line$' text |
		grep -E '^  100\.00   10\.00   walk\.c:[0-9]+  .*walk\(n\) \+ walk'
	dwell annotate -i t.data --percent-type global-hits stroll |
		grep -E "^   50\.00         \|  +$(printf %x "$first_call")  "
	# Without call chains, there are no totals.
	with_chains=
	recording w.data "ip=$walk period=100"
	dwell annotate --json -i w.data >json
	absent grep total_ json
}

@test "annotate: the line of an inlined call has the samples of the inlined code" {
	need capstone
	need node
	record_callers
	dwell annotate --json -i t.data walk >json
	inlined=$(node -e '
		const { functions: [{ lines }] } =
			JSON.parse(require("fs").readFileSync("json"));
		console.log(lines.find(({ inlined }) => inlined).address);')
	recording i.data \
		"ip=$inlined period=100 times=3 chain=user,$inlined,$first_return" \
		"ip=$walk period=100 chain=user,$walk,$first_return"
	dwell annotate -i i.data -l walk >text
	cat text
	grep -E '^   75\.00           walk\.c:11  .*mix\(sum \+ n\);' text
	grep -E '^   75\.00   75\.00   walk\.c:5  ' text
}

@test "annotate: source lines have totals if instructions are not available, too" {
	record_callers
	# A processor that dwell does not support.
	printf '\x05\x01' | dd of=walk bs=1 seek=18 conv=notrunc status=none
	dwell annotate -i t.data stroll >text
	cat text
	absent grep 'callq' text
	grep -E '^  100\.00   10\.00   walk\.c:[0-9]+  .*walk\(n\) \+ walk' text
}

@test "annotate: a function that has samples only in its callees is shown if it is named" {
	need capstone
	record_callers
	recording t.data "ip=$walk period=100 chain=user,$walk,$first_return"
	dwell annotate -i t.data >text
	grep '^# walk in' text
	absent grep '^# stroll in' text
	dwell annotate -i t.data stroll >text
	grep -x "# 0 samples of event 'cycles:HG', 0.00% of all (percent: local-period)" text
	grep -E "^  100\.00         \|  +$(printf %x "$first_call")  " text
	# Filters are of the sampled code.
	refuses 1 dwell annotate -i t.data -S stroll stroll
	dwell annotate -i t.data -S walk stroll | grep -E "^  100\.00         \|  +"
}

@test "annotate: with branch stacks, each basic block shows how often it was entered" {
	need python3
	build
	recording plain.data "ip=$walk period=100"
	need capstone
	cp plain.data w.data
	head=$(dwell annotate --json -i w.data walk | python3 -c '
import json, sys
walk = json.load(sys.stdin)["functions"][0]
loop = walk["loops"][0]
print(walk["lines"][loop["head"]]["address"],
    walk["lines"][loop["last"]]["address"])')
	read -r head last <<<"$head"
	# Three iterations, of which the oldest has an unknown start; 5 cycles.
	recording w.data "ip=$head period=100 \
branches=$last,$head,0x51,$last,$head,0x52,$last,$head,0x52"
	dwell annotate -i w.data walk >text
	cat text
	grep -E '\| ; entered 2 times(; jump taken 0, not taken 2, mispredicted 0)?; [0-9.]+ cycles$' text
	grep -E '; jump taken 2, not taken 0, mispredicted 1; [0-9.]+ cycles$' text
	# The cycles of all blocks on the path.
	dwell annotate --json -i w.data walk | python3 -c '
import json, sys
blocks = json.load(sys.stdin)["functions"][0]["blocks"]
entered = [block for block in blocks if block["entered"]]
assert abs(sum(block["cycles"] for block in entered) - 5) < 0.05
assert sum(block["taken"] for block in entered) == 2'
	# Branches of filtered samples are not used.
	dwell annotate -i w.data -c other -S walk >text 2>&1
	run ! grep -q entered text
}

@test "annotate: aarch64 code is disassembled on any machine" {
	CC=aarch64-linux-gnu-gcc build
	recording w.data "ip=$walk period=100"
	need capstone
	dwell annotate -i w.data >text
	cat text
	grep -E "^  100\.00 \|  +$(printf %x "$walk")  " text
	grep -E '(cbz|cbnz|b\.[a-z]+|tbz) .*L[0-9]+$' text
	grep -E '; loop of ' text
	grep -E ' ret$' text
}

@test "annotate: an address as argument selects its function, by address in the file or at run time" {
	local end address

	build
	moved=0x7f0000000000
	recording w.data "ip=$((walk + moved)) period=100" \
		"ip=$((stroll + moved)) period=50"
	dwell annotate -i w.data walk >named
	end=$((walk + $(awk '$1 == "walk" { print $3; exit }' functions)))
	for address in "$walk" $((end - 1)) $((walk + moved)) $((end - 1 + moved)); do
		dwell annotate -i w.data "$(printf 0x%x "$address")" | diff named -
	done
	dwell annotate -i w.data "$walk" stroll | grep -c '^# [a-z]* in walk,' |
		grep -x 2
	dwell annotate --html -o out.html -i w.data "$walk" 2>/dev/null
	refuses 1 dwell annotate -i w.data 0x10
	[[ $line == *"no sample is in a function that contains address 0x10" ]]
	refuses 1 dwell annotate -i w.data 0xwalk
	[[ $line == *"no sample is in a function '0xwalk'"* ]]
	refuses 1 dwell annotate -i w.data 0x12345678123456781
	[[ $line == *"no sample is in a function '0x1"* ]]
	# Without the file, the link-time address is unknown.
	rm walk
	refuses 1 dwell annotate -i w.data "$(printf 0x%x $((walk + moved)))"
	[[ $line == *"no sample is known to be in a function that contains address 0x7f"*"; the code of walk has no symbols" ]]
}

@test "annotate: a function without samples is an error that suggests the nearest name" {
	build
	recording w.data "ip=$walk period=100"
	refuses 1 dwell annotate -i w.data wolk
	[[ $line == *"no sample is in a function 'wolk'; did you mean 'walk'?" ]]
	refuses 1 dwell annotate -i w.data walk stroll
	[[ $line == *"no sample is in a function 'stroll'" ]]
	refuses 1 dwell annotate -i w.data w.data
	[[ $line == *"'w.data'; to name a recording, use -i" ]]
	refuses 2 dwell annotate -i w.data --percent-type local
	[[ $line == *"unknown type 'local'; use local-period,"* ]]
	refuses 2 dwell annotate -i w.data -M arm
	[[ $line == *"unknown value 'arm'; use att or intel" ]]
	refuses 2 dwell annotate -i w.data --limit x
	[[ $line == *"--limit"* ]]
	refuses 2 dwell annotate --objdump=/bin/true
	[[ $line == *"dwell disassembles without objdump"* ]]
}

@test "annotate: for a partial, misspelled or capitalized function name, the error suggests the right one" {
	build
	recording w.data "ip=$walk period=100 times=3" "ip=$stroll period=50"
	hint() {
		refuses 1 dwell annotate -i w.data "$1"
		echo "$line"
		[[ $line == *"no sample is in a function '$1'$2" ]]
	}
	hint wlak "; did you mean 'walk'?"
	hint STROLL "; did you mean 'stroll'?"
	hint tro "; did you mean 'stroll'?"
	hint TROL "; did you mean 'stroll'?"
	hint ro ""
	hint laughter ""
}

@test "annotate: naming an inlined function is an error that names the function to annotate instead" {
	local inlined

	need python3
	build
	recording w.data "ip=$walk period=100"
	need capstone
	inlined=$(dwell annotate --json -i w.data walk | python3 -c '
import json, sys
print(next(line["address"] for line in json.load(sys.stdin)["functions"][0]["lines"]
    if line.get("inlined") == "mix"))')
	recording w.data "ip=$inlined period=100" "ip=$stroll period=900"
	for name in mix "mix (inlined)"; do
		refuses 1 dwell annotate -i w.data "$name"
		[[ $line == *"'$name'; it was inlined into 'walk'; annotate that function instead" ]]
	done
}

@test "annotate: a message reports the percentage of samples in code without symbols" {
	build
	recording w.data "ip=$walk period=97" "ip=$stroll period=3"
	dwell annotate -i w.data 2>said >text
	[ ! -s said ]
	strip walk
	dwell annotate --no-guessed-functions -i w.data 2>said >text
	cat said
	[ ! -s text ]
	grep -q 'no sampled function matches the filters' said
	grep -q "100.00% of event 'cycles:HG' is in code without symbols, most of it in walk. For the symbols that are missing: dwell report --dsos$" said
	dwell annotate --no-guessed-functions -i w.data -d other 2>said >text
	run ! grep -q 'without symbols' said
}

@test "annotate: a packed recording is annotated without the program and its source files" {
	build
	recording w.data "ip=$walk period=100" "ip=$stroll period=50"
	need capstone
	dwell annotate -i w.data >here
	dwell pack -q --source -i w.data -o packed.data
	mkdir elsewhere
	mv walk walk.c elsewhere
	dwell annotate -i packed.data >there
	diff here there
}

@test "annotate: the text states why a program without a build ID has no code; if it is removed, an error" {
	build -Wl,--build-id=none
	recording w.data "ip=$walk period=100"
	dwell annotate -i w.data walk >text 2>said
	cat text said
	grep "no code: without a recorded build ID, $PWD/walk may be another file" text
	rm walk
	refuses 1 dwell annotate -i w.data walk
	[[ $line == *"no sample is known to be in a function 'walk'; the code of walk has no symbols" ]]
}

@test "live: annotate: a function whose file was removed shows the reason instead of its code" {
	gcc -O1 "$DWELL_SOURCE/tests/cli/spin.c" -o spin
	dwell record -q -e cpu-clock:u -F 2000 -o w.data -- ./spin remove
	dwell annotate -i w.data >text
	cat text
	grep -A 3 '^# spin_here in spin' text | grep "no code: .*/spin"
	dwell annotate --json -i w.data | grep '"problem": "no code'
	# --symfs is often tried for source files alone.
	mkdir sources
	dwell annotate -i w.data --symfs sources >text
	grep -A 3 '^# spin_here in spin' text |
		grep 'no code: .*/spin was not found below --symfs sources as it was recorded; for source files alone, use --source-path instead'
}

@test "live: annotate: JIT code is read from its jitdump" {
	need node
	need perf
	need capstone
	cat >hot.js <<-'END'
		function hot(n) {
			let s = 0;
			for (let i = 0; i < n; i++)
				s = (s * 31 + i) | 0;
			return s;
		}
		const { cpuUsage } = process, ms = 700;
		let t = 0;
		while (cpuUsage().user < ms * 1000)
			t += hot(1e6);
		console.log(t);
	END
	perf_record -k mono -e cpu-clock:u -F 2000 -o js.data -- \
		node --perf-prof hot.js
	dwell annotate -i js.data --limit 1 >text
	cat text
	grep -E '^# JS:.*hot .* in \[JIT\] tid ' text
	grep -E '^ +[0-9.]+ \|  [0-9a-f]+ ' text
	# Node.js often writes freed memory as the file name.
	if dwell report --stdio -i js.data --no-children -g none \
		-s sym,srcline | grep -q '^ *[0-9]\{2\}\.[0-9]*% .* JS:\*hot .*/hot.js:1:13 .*hot.js:3$'
	then
		grep -F 's = (s * 31 + i) | 0;' text
	fi
}

@test "live: annotate: for kernel code, a message asks for --vmlinux" {
	need kernel-samples
	dwell record -q -e cpu-clock:k -F 5000 -o k.data -- \
		dd if=/dev/zero of=/dev/null bs=1M count=3000 2>/dev/null
	dwell report -i k.data -s sym | grep -F '[k]' >rows
	dwell annotate -i k.data --limit 1 >text
	cat text
	grep -F "the code of the kernel is in vmlinux; name it with --vmlinux" text
}

@test "annotate: source lines of a file that is newer than the recording are marked with (?)" {
	build
	recording w.data "ip=$walk period=100"
	need capstone
	touch -d '2 days ago' w.data
	dwell annotate -i w.data walk | grep -E 'walk\.c:10 \(\?\)  .*while'
	rm walk.c
	dwell annotate -i w.data walk | grep -E 'walk\.c:10$'
	mkdir -p "root$PWD"
	cp "$BATS_FILE_TMPDIR/walk.c" walk "root$PWD"
	dwell annotate -i w.data --symfs root walk | grep -E 'while \(n--'
	# Links are resolved inside of the tree.
	mkdir root/src
	mv "root$PWD/walk.c" root/src
	ln -s /src/walk.c "root$PWD/walk.c"
	dwell annotate -i w.data --symfs root walk | grep -E 'while \(n--'
}

@test "annotate: one message names each missing source file; --source-path OLD=NEW finds the moved file" {
	build "-ffile-prefix-map=$PWD=/nowhere/app"
	recording w.data "ip=$walk period=100" "ip=$stroll period=10"
	mkdir moved
	mv walk.c moved
	need capstone
	dwell annotate -i w.data walk stroll >text 2>notes
	cat notes
	[ "$(cat notes)" = "dwell annotate: /nowhere/app/walk.c: source file not found; --source-path /nowhere/app=DIR gives its folder" ]
	run ! grep 'while (n--' text
	# Another folder does not match.
	dwell annotate -i w.data --source-path /nowhere/ap=moved walk >text
	run ! grep 'while (n--' text
	for folder in /nowhere/app /nowhere/app/ /nowhere/app/walk.c; do
		new=moved
		[[ $folder != *.c ]] || new=moved/walk.c
		dwell annotate -i w.data --source-path "/elsewhere=/" \
			--source-path "$folder=$new" walk >text 2>notes
		grep -E 'walk\.c:10 .*while \(n--' text
		[ ! -s notes ]
	done
	# The first match is used.
	mkdir other
	dwell annotate -i w.data --source-path /nowhere/app=other \
		--source-path /nowhere/app=moved walk >text 2>notes
	[ "$(cat notes)" = "dwell annotate: /nowhere/app/walk.c: source file not found as other/walk.c; check --source-path" ]
	# Without source lines, no file is missing.
	dwell annotate -i w.data --no-source walk 2>notes
	[ ! -s notes ]
}

@test "annotate: --source-path .=DIR gives the folder of relative source paths" {
	build "-ffile-prefix-map=$PWD=."
	recording w.data "ip=$walk period=100"
	mkdir -p moved "root$PWD"
	mv walk.c moved
	need capstone
	dwell annotate -i w.data walk 2>&1 >text |
		grep -F './walk.c: source file not found; --source-path .=DIR gives its folder'
	for old in . ./ ./walk.c walk.c; do
		new=moved
		[[ $old != *.c ]] || new=moved/walk.c
		dwell annotate -i w.data --source-path "$old=$new" walk |
			grep -E 'walk\.c:10 .*while \(n--'
	done
	# Relative paths are below the folder of --symfs, too.
	cp -p walk "root$PWD"
	cp moved/walk.c root
	dwell annotate -i w.data --symfs root walk |
		grep -E 'walk\.c:10 .*while \(n--'
}

@test "annotate: --source-path without OLD, NEW or an existing folder is refused" {
	for value in moved =moved /old=; do
		refuses 2 dwell annotate --source-path "$value"
		[[ $line == *"--source-path: '$value' is not OLD=NEW"* ]]
	done
	refuses 2 dwell annotate --source-path /old=none
	[[ $line == *"--source-path: 'none' does not exist"* ]]
}

@test "annotate: control characters in names and source code are escaped" {
	build
	printf '#line 1 "x\033[31m.c"\n' >head
	cat head walk.c >y.c
	sed 's/while (n--) {/&\/\*\x1b[32m\*\//' y.c >walk.c
	build -I.
	printf '\033[31m\n\n\n\n\n\n\n\n\n\n' >"$(printf 'x\033[31m.c')"
	recording w.data "ip=$walk period=100"
	need capstone
	dwell annotate -i w.data walk >text
	grep -F 'x\x1b[31m.c' text
	run ! grep -q "$(printf '\033')" text
	run ! grep -q "$(printf '\033')" <(dwell annotate --json -i w.data)
}

# page_text PAGE: prints the bytes of the page's data.
page_text() {
	node -e 'const page = require("fs").readFileSync(process.argv[1], "utf8");
		const [, text] = /id="data">([^<]*)</.exec(page);
		process.stdout.write(require("zlib").inflateSync(
			Buffer.from(text, "base64")));' "$1"
}

# shows_lines [NAME=VALUE...] WORD: calls the programs with ${places[@]}; prints how many of annotate, the page and
# pack --source show lines of the file secret, which contain WORD.
shows_lines() {
	local word=${*: -1} n=0

	set -- "${@:1:$#-1}"
	env "$@" dwell annotate -i w.data "${places[@]}" walk >text 2>said
	if grep -q "$word" text; then n=$((n + 1)); fi
	env "$@" dwell export -q --force --format html -o page.html -i w.data \
		"${places[@]}"
	if page_text page.html | grep -aq "$word"; then n=$((n + 1)); fi
	rm -f packed.data
	env "$@" dwell pack -v --source -o packed.data -i w.data \
		"${places[@]}" 2>packing
	if grep -q 'lines of .* are packed' packing; then n=$((n + 1)); fi
	echo "$n"
}

@test "annotate: as root, source lines of files that other users cannot read are not printed" {
	need root
	need node
	mkdir folder
	seq -f 'line_%g' 30 >folder/secret
	sed -i "s,^__attribute__((noinline)) unsigned walk,# 1 \"$PWD/secret\"\n&," \
		walk.c
	ln -s folder/secret secret
	build
	# Only that file can have lines.
	rm walk.c
	recording w.data "ip=$walk period=100"
	need capstone
	[ "$(shows_lines line_)" = 3 ]
	run ! grep 'no source lines' said
	chmod 640 folder/secret
	[ "$(shows_lines line_)" = 0 ]
	cat said
	[ "$(grep -c "no source lines of $PWD/secret: as root, dwell shows only" \
		said)" = 1 ]
	grep "no source lines of $PWD/secret: as root, dwell shows only" packing
	# SUDO_UID 0 is root: its private files stay private.
	[ "$(shows_lines SUDO_UID=0 line_)" = 0 ]
	[ "$(shows_lines SUDO_UID= line_)" = 0 ]
	chmod 644 folder/secret
	chmod 700 folder
	[ "$(shows_lines line_)" = 0 ]
	chmod 711 folder
	[ "$(shows_lines line_)" = 3 ]
	# A file of the user who called sudo is shown.
	chown 12345 folder/secret
	chmod 600 folder/secret
	chmod 700 folder
	[ "$(shows_lines SUDO_UID=12345 line_)" = 3 ]
	[ "$(shows_lines SUDO_UID=12346 line_)" = 0 ]
	# A public file in the private folder of that user is shown.
	chown root folder/secret
	chmod 644 folder/secret
	chown 12345 folder
	[ "$(shows_lines SUDO_UID=12345 line_)" = 3 ]
	[ "$(shows_lines line_)" = 0 ]
}

@test "annotate: as root, a line table that names /etc/shadow prints none of its lines" {
	need root
	need node
	need shadow
	sed -i 's,^__attribute__((noinline)) unsigned walk,# 1 "/etc/shadow"\n&,' \
		walk.c
	build
	rm walk.c
	recording w.data "ip=$walk period=100"
	need capstone
	[ "$(shows_lines "$(head -c 5 /etc/shadow)")" = 0 ]
	grep 'no source lines of /etc/shadow: as root' said
}

@test "annotate, export and pack find source files by --source-path, and name the missing files" {
	need node
	build "-ffile-prefix-map=$PWD=."
	recording w.data "ip=$walk period=100"
	mkdir moved
	mv walk.c moved
	chmod 755 . moved
	need capstone
	[ "$(shows_lines 'while (n--')" = 0 ]
	missing='./walk.c: source file not found; --source-path .=DIR gives its folder'
	grep -F "$missing" said
	grep -F "$missing" packing
	dwell export --force --format html -o page.html -i w.data 2>notes
	grep -F "$missing" notes
	# pack does not read a relative path in the current folder.
	cp -p moved/walk.c .
	[ "$(shows_lines 'while (n--')" = 2 ]
	grep -F "$missing" packing
	rm walk.c
	# The recorded program is older than its source file of another time.
	touch -d '2 days ago' moved/walk.c
	places=(--source-path .=moved)
	[ "$(shows_lines 'while (n--')" = 3 ]
	grep -F 'lines of ./walk.c are packed' packing
	# The packed lines are found by the recorded path.
	dwell annotate -i packed.data walk >text 2>notes
	grep -E 'walk\.c:10 .*while \(n--' text
	[ ! -s notes ]
}

@test "annotate: as root, --source-path shows no file that other users cannot read" {
	need root
	need node
	seq -f 'line_%g' 30 >secret
	chmod 600 secret
	# A recorded path that leads out of NEW, and a link below NEW.
	sed -i "s,^__attribute__((noinline)) unsigned walk,# 1 \"/build/../secret\"\n&," \
		walk.c
	build
	rm walk.c
	recording w.data "ip=$walk period=100"
	mkdir new
	need capstone
	places=(--source-path /build=new)
	[ "$(shows_lines line_)" = 0 ]
	grep 'no source lines of new/../secret: as root' said
	grep 'no source lines of new/../secret: as root' packing
	ln -s ../secret new/link
	places=(--source-path /build/../secret=new/link)
	[ "$(shows_lines line_)" = 0 ]
	grep 'no source lines of new/link: as root' said
	chmod 644 secret
	[ "$(shows_lines line_)" = 3 ]
}
