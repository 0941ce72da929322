#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the order of the folders, which doc/architecture.md describes. Includes
# are read from the sources, where a module is X.c and X.h together and every
# quoted include is written from the top folder. Calls are read by nm from the
# built objects: a file calls another one if it uses a symbol that the other one
# defines. Data count as functions do, because a table of functions leads to them.
# Prints TAP.

top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
build=${DWELL_BUILD:-$PWD}

# The one list of folders. A folder includes headers only of itself and of folders
# above it in this list; the two sides do not include each other.
folders='
common/util
common/perf
common/elf
common/maps
common/file
common/unwind
common/jit
record/sys
record/event
record/bpf
record/queue
record/synth
record/ring
record/open
record/stat
record/doctor
record/runtimes/interface
record/runtimes/cpython
record/runtimes/hotspot
record/runtimes/luajit
record/runtimes/perl
record/runtimes/php
record/runtimes/ruby
record/runtimes/v8
record/runtimes
record/symbols
record/unwind
record/stream
record
report/util
report/survey
report/symbols
report/lines
report/unwind
report/scan
report/resolve
report/transform
report/rows
report/options
report/result
report/code
report/flame
report/view
report/diff
report/html
report/script
report/check
report/export
report/pack
report/tui
report
'

# The files that may print. main.c prints the error that ends a program, through
# log.
printers='
common/util/alloc
common/util/cli
common/util/completion
common/util/log
common/util/standard_streams
record/cmd_doctor
record/cmd_list
record/main_loop
record/options
record/stat_print
report/tui/terminal
report/util/output
report/util/progress
'

# Public names that begin otherwise than with the words of their module: "MODULE
# BEGINNING", in small letters. Nothing may be added. Some are names that readers know:
# the record types of the kernel, and the functions that behave as malloc() does.
other_prefixes='
common/file/reader cursor
common/perf/abi record_
common/util/alloc x
common/util/base path_
common/util/base plural
common/util/base string_
record/bpf/wait_record chain_wait
record/doctor/check finding_
record/unwind/live_unwinding unwinding_
report/code/disassembly instruction
report/options/options check_options
report/options/options code_options
report/options/options count_options
report/options/options fact_options
report/options/options input_options
report/options/options name_options
report/options/options output_options
report/options/options row_options
report/options/options stack_options
report/options/options time_options
report/scan/contexts scan_request
report/unwind/recorded_unwinding unwinding_
'

# edges DIR: prints "MODULE INCLUDED-MODULE" for each quoted include below DIR.
edges() {
	(cd "$1" && grep -rsE '^[ 	]*#[ 	]*include[ 	]*"' \
		--include='*.[ch]' common record report dwell.c) |
		sed -n 's/^\([^:]*\)\.[ch]:[^"]*"\([^"]*\)".*/\1 \2/p' |
		sed 's/\.h$//' | grep -v ' config$'
}

# Each check prints the violations, and nothing if there are none.

relative_includes() {
	edges "$1" | grep -vE ' (common|record|report)/'
}

# against_the_order: prints the lines "MODULE USED-MODULE" of standard input in
# which the used module's folder is below the using one's in the list, or in the
# other side.
against_the_order() {
	awk -v list="$folders" '
		function folder_of(module) {
			return module ~ /\// ? substr(module, 1,
				match(module, /\/[^\/]*$/) - 1) : ""
		}
		function side_of(folder) {
			sub(/\/.*/, "", folder)
			return folder
		}
		BEGIN {
			n = split(list, name, "\n")
			for (i = 1; i <= n; i++)
				place[name[i]] = i
		}
		{
			from = folder_of($1)
			to = folder_of($2)
			if (from == "" && side_of(to) == "common")
				next
			if (!(from in place) || !(to in place) ||
				place[to] > place[from] ||
				side_of(to) != "common" &&
				side_of(to) != side_of(from))
				print $1, $2
		}'
}

includes_against_the_order() {
	edges "$1" | against_the_order
}

# *_private.h may be included only by files of its own folder.
private_elsewhere() {
	edges "$1" | awk '
		$2 ~ /_private$/ {
			from = $1
			to = $2
			sub(/\/[^\/]*$/, "", from)
			sub(/\/[^\/]*$/, "", to)
			if (from != to)
				print $1, $2
		}'
}

include_circles() {
	# shellcheck disable=SC2069
	edges "$1" | tsort 2>&1 >/dev/null
}

# symbols DIR: prints "FILE: SYMBOL TYPE" of the objects below DIR that have a
# source file. calls DIR: prints "FILE USED-FILE SYMBOL". Those of the build are read once.
symbols() {
	if [ "$1" = "$build" ]; then
		cat "$bad/built.symbols"
	else
		read_symbols "$1"
	fi
}
calls() {
	if [ "$1" = "$build" ]; then
		cat "$bad/built.calls"
	else
		symbols "$1" | calls_of_symbols
	fi
}

read_symbols() {
	(cd "$1" && find common record report -name '*.o' | sort |
		while read -r object; do
			source=${object%.o}.c
			if [ -e "$source" ] || [ -e "$top/$source" ]; then
				echo "$object"
			fi
		done | xargs nm -A -P) | sed 's/\.o:/:/'
}

# Reads symbols, and prints calls. The sides are different programs, in which another file
# may define the symbol.
calls_of_symbols() {
	awk '
		{
			file = $1
			sub(/:$/, "", file)
			side = file
			sub(/\/.*/, "", side)
		}
		$3 == "U" {
			n++
			user[n] = file
			used[n] = $2
			side_of[n] = side
		}
		$3 ~ /^[A-TV-Z]$/ {
			owner[side, $2] = file
		}
		END {
			for (i = 1; i <= n; i++) {
				to = owner[side_of[i], used[i]]
				if (to == "")
					to = owner["common", used[i]]
				if (to != "" && to != user[i])
					print user[i], to, used[i]
			}
		}'
}

# Prints the calls that form cycles between files of one folder.
call_circles() {
	calls "$1" | awk '
		{
			from = $1
			to = $2
			sub(/\/[^\/]*$/, "", from)
			sub(/\/[^\/]*$/, "", to)
		}
		from == to' >"$bad/calls"
	# shellcheck disable=SC2069
	awk '{ print $1, $2 }' "$bad/calls" | sort -u | tsort 2>&1 >/dev/null |
		sed 's/^tsort: //' >"$bad/circle"
	awk 'NR == FNR { is_in[$1]; next } $1 in is_in && $2 in is_in' \
		"$bad/circle" "$bad/calls"
}

calls_against_the_order() {
	calls "$1" | awk '{ print $1, $2 }' | sort -u | against_the_order
}

# A sample's way through each program: "CALLER FILE FUNCTION" of the function that
# does each step. Only the callers below order the steps; no step calls another one.
# doc/architecture.md has the whole way.
steps='
record/stream/drain record/ring/ring ring_next
record/stream/stack_intake record/queue/queue queue_fill_put_sample
record/stream/blocks record/queue/queue queue_take
record/stream/blocks record/unwind/unwound unwound_take
record/stream/blocks common/file/block block_encode
record/stream/blocks common/file/writer writer_put_block
report/pack/pack_write common/file/block block_encode
report/pack/pack_write common/file/writer writer_put_block
report/scan/inputs report/survey/survey survey_run
report/cmd_evlist report/survey/survey survey_run
report/cmd_report report/survey/survey survey_run
report/cmd_unpack report/survey/survey survey_run
report/result/result report/scan/scan scan_run
report/result/ordered_samples report/scan/scan scan_run
report/pack/pack_hits report/scan/scan scan_run
report/result/result report/resolve/resolve_scan resolve_scan
report/result/result report/transform/refine refine_stacks
report/result/result report/rows/hist hist_build
report/cmd_report report/view/view_stdio view_stdio
report/tui/tui_actions report/view/view_stdio view_stdio
'

# Prints "> CALL" for each call of a step by another file than in the list, and
# "< CALL" for each call in the list that there is not.
wrong_steps() {
	echo "$steps" | grep . | sort >"$bad/steps"
	calls "$1" | awk '
		NR == FNR { is_step[$2, $3]; next }
		($2, $3) in is_step { print $1, $2, $3 }
		' "$bad/steps" - | sort -u | diff "$bad/steps" - | grep '^[<>]'
}

# Prints calls of the reader and of ELF files by views: "FILE USED-FILE".
reading_views() {
	calls "$1" | awk '
		$1 ~ /^report\/(view|tui|html|export)\// &&
		$2 ~ /^common\/(file\/(reader|feature|section)|elf\/)/ {
			print $1, $2
		}' | sort -u
}

# Prints files that print and are not in the list of files that may.
printing_elsewhere() {
	symbols "$1" | awk -v list="$printers" '
		BEGIN {
			n = split(list, name, "\n")
			for (i = 1; i <= n; i++)
				may_print[name[i] ":"]
		}
		$3 == "U" && !($1 in may_print) &&
			$2 ~ /^_*(stdout|stderr|v?printf|v?dprintf|puts|putchar|perror|v?warnx?|v?errx?)(_chk)?$/ {
			sub(/:$/, "", $1)
			print $1, $2
		}'
}

# Prints files that write to standard output or standard error by file
# descriptor.
writing_by_number() {
	(cd "$1" && grep -rnsE '\<write\((1|2|STDOUT_FILENO|STDERR_FILENO),' \
		--include='*.c' common record report)
}

# Prints uses of the folders of /proc through which paths of another process are
# reached.
paths_of_others() {
	(cd "$1" && grep -rlsE '/proc/[%0-9][^"]*/(root|cwd|exe|map_files)|"(root|map_files)"' \
		--include='*.[ch]' record)
}

# functions_twice DIR: prints the functions and data that two objects below DIR define
# for other files. Each program has a main().
functions_twice() {
	symbols "$1" | awk '$3 ~ /^[A-TV-Z]$/ && $2 != "main" { print $2 }' | sort | uniq -d
}

# structs_twice DIR: prints the struct tags that are defined twice in common/ and one of
# the programs. A stub *_none.c defines a struct instead of the file of that name.
structs_twice() {
	(cd "$1" && grep -rsE '^[[:space:]]*(static |const )*struct [a-z0-9_]+ [{]' \
		--include='*.[ch]' --exclude='*_none.c' common record report) |
		sed -E 's,^(common|record|report)/.*struct ([a-z0-9_]+) [{].*,\1 \2,' |
		awk '
			$1 != "report" { in_record[$2]++ }
			$1 != "record" { in_report[$2]++ }
			{ is_tag[$2] }
			END {
				for (tag in is_tag)
					if (in_record[tag] > 1 || in_report[tag] > 1)
						print tag
			}' | sort
}

# public_names DIR BUILD: prints "HEADER KIND NAME" of the functions, structs (and unions),
# enums and enumerators of the headers below DIR, without those of the BPF program. A
# function is a word outside of braces that an object below BUILD defines for other files,
# or that is defined inline.
public_names() {
	symbols "$2" | awk '$3 == "T" { print $2 }' >"$bad/functions"
	(cd "$1" && find common record report -name '*.h' ! -name '*.bpf.h' | sort |
		xargs awk '
		function take(word) {
			if (is_comment || word == "/*") {
				is_comment = word != "*/"
				return
			}
			if (word == "{") {
				if (tag != "")
					print FILENAME, kind, tag
				is_enum = kind == "enum"
				depth++
			} else if (word == "}") {
				depth--
				is_enum = 0
			} else if (word == "(") {
				if (is_inline && !depth && !parens && before ~ /^[a-z]/) {
					print FILENAME, "function", before
					is_inline = 0
				}
				parens++
			} else if (word == ")") {
				parens--
			} else if (is_enum && !parens && before ~ /^[{,]$/) {
				print FILENAME, "enumerator", word
			} else if (!depth && word == "inline") {
				is_inline = 1
			} else if (!depth && kind == "" && (word in is_function)) {
				print FILENAME, "function", word
			}
			if (word ~ /^(struct|union|enum)$/) {
				kind = word == "enum" ? "enum" : "struct"
				tag = ""
			} else if (kind != "" && tag == "" && word ~ /^[a-z]/) {
				tag = word
			} else if (word !~ /^_/) {
				kind = tag = ""
			}
			before = word
		}
		FILENAME !~ /\.h$/ {
			is_function[$1]
			next
		}
		FNR == 1 {
			depth = parens = is_comment = is_macro = is_inline = is_enum = 0
			kind = tag = before = ""
		}
		is_macro || !is_comment && /^[ \t]*#/ {
			is_macro = /\\$/
			if (!sub(/^.*\/\*/, "/*"))
				next
		}
		{
			gsub(/"[^"]*"|\047.\047/, "")
			gsub(/\/\*|\*\/|[^A-Za-z0-9_]/, " & ")
			n = split($0, words, " ")
			for (i = 1; i <= n; i++)
				take(words[i])
		}' "$bad/functions")
}

# Prints the terms of doc/glossary.md.
terms() {
	sed -n '/^- /s/(short: \([^)]*\))/**\1**/; /^- /p' "$1/doc/glossary.md" |
		grep -o '\*\*[^*]*\*\*' | tr -d '*'
}

# wrong_names DIR BUILD: prints "HEADER NAME" of the public names that begin neither with
# the first word of their module, nor with a struct of it that is a term, nor as
# other_prefixes says; and "MODULE BEGINNING unused" for each line of the list that
# excuses no name.
wrong_names() {
	terms "$1" >"$bad/terms"
	public_names "$1" "$2" | awk -v list="$other_prefixes" '
		# Returns NAME with "_" after each word, without the endings in which
		# the singular, the plural and words with -er differ.
		function stems(name,	word, n, i, all) {
			n = split(tolower(name), word, /[_ -]/)
			for (i = 1; i <= n; i++) {
				sub(/(y|ie|er?)?s?$/, "", word[i])
				all = all word[i] "_"
			}
			return all
		}
		function module_of(header) {
			sub(/(_private)?\.h$/, "", header)
			return header
		}
		function begins(text, beginnings,	beginning, n, i) {
			n = split(beginnings, beginning, " ")
			for (i = 1; i <= n; i++)
				if (index(text, beginning[i]) == 1)
					return i
			return 0
		}
		BEGIN {
			n = split(list, line, "\n")
			for (i = 1; i <= n; i++)
				if (split(line[i], part, " ") == 2)
					others[part[1]] = others[part[1]] " " part[2]
		}
		FILENAME != "-" {
			is_term[stems($0)]
			next
		}
		{
			header[++count] = $1
			public[count] = $3
			module = module_of($1)
			if (!(module in own)) {
				own[module] = module
				sub(/.*\//, "", own[module])
				sub(/_.*/, "", own[module])
				own[module] = stems(own[module])
			}
			if ($2 == "struct" && (stems($3) in is_term))
				own[module] = own[module] " " stems($3)
		}
		END {
			for (i = 1; i <= count; i++) {
				module = module_of(header[i])
				if (begins(stems(public[i]), own[module]))
					continue
				number = begins(tolower(public[i]), others[module])
				if (number)
					is_used[module, number]
				else
					print header[i], public[i]
			}
			for (module in others) {
				n = split(others[module], part, " ")
				for (i = 1; i <= n; i++)
					if (!((module, i) in is_used))
						print module, part[i], "unused"
			}
		}' "$bad/terms" -
}

# Prints the folders of sources, and the headings of doc/architecture.md.
source_folders() {
	(cd "$1" && find common record report -name '*.c' -o -name '*.h') |
		sed 's,/[^/]*$,,' | sort -u
}

headings() {
	sed -n 's,^### \(\(common\|record\|report\)/[a-z0-9/]*\)$,\1,p' \
		"$1/doc/architecture.md" | sed 's,/$,,' | sort
}

# Prints folders without a section, and sections without a folder.
wrong_sections() {
	source_folders "$1" >"$bad/folders"
	headings "$1" | diff - "$bad/folders" | sed -n 's/^[<>] //p'
}

unlisted_folders() {
	source_folders "$1" | while read -r folder; do
		echo "$folders" | grep -qx "$folder" || echo "$folder"
	done
}

number=0
check() {
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

seen() {
	[ -n "$1" ] && echo seen
}

bad=$(mktemp -d) || exit 1
trap 'rm -rf "$bad"' EXIT
read_symbols "$build" >"$bad/built.symbols"
calls_of_symbols <"$bad/built.symbols" >"$bad/built.calls"

echo 1..35

check "includes are read from the sources" "$(seen "$(edges "$top")")" seen
check "includes are written from the top folder" \
	"$(relative_includes "$top")" ""
check "every folder of sources is in the list of folders" \
	"$(unlisted_folders "$top")" ""
check "no include goes against the order of the folders" \
	"$(includes_against_the_order "$top")" ""
check "private headers are included in their own folder only" \
	"$(private_elsewhere "$top")" ""
check "only record/sys/safe_open opens files that other processes name" \
	"$(paths_of_others "$top")" record/sys/safe_open.c
check "the includes of the modules form no cycle" \
	"$(include_circles "$top")" ""
check "doc/architecture.md has a section for each folder" \
	"$(wrong_sections "$top")" ""
check "calls are read from the objects" "$(seen "$(calls "$build")")" seen
check "no call goes against the order of the folders" \
	"$(calls_against_the_order "$build")" ""
check "calls between the files of a folder form no cycle" \
	"$(call_circles "$build")" ""
check "only the listed callers call the functions that process a sample" \
	"$(wrong_steps "$build")" ""
check "views call neither the reader of recordings nor the code for ELF files" \
	"$(reading_views "$build")" ""
check "only the listed files write to standard output or standard error" \
	"$(printing_elsewhere "$build")$(writing_by_number "$top")" ""
check "no two files define a function of one name" \
	"$(functions_twice "$build")" ""
check "no two files define a struct of one name" \
	"$(structs_twice "$top")" ""
check "public names are read from the headers" \
	"$(public_names "$top" "$build" | cut -d ' ' -f 2 | sort -u)" "enum
enumerator
function
struct"
check "public names begin with the words of their module (unused: remove it from the list)" \
	"$(wrong_names "$top" "$build")" ""

# A small tree that contains each violation: each check must find it.
mkdir -p "$bad/doc" "$bad/common/util" "$bad/common/perf" "$bad/common/file" \
	"$bad/record/ring" "$bad/report/view" "$bad/report/odd"
echo '#include "common/util/b.h"' >"$bad/common/util/a.c"
echo '#include <stdio.h>' >"$bad/common/util/a.h"
echo '# include "common/util/a.h" /* closes the circle */' \
	>"$bad/common/util/b.h"
echo '#include "common/perf/p.h"' >"$bad/common/util/c.c"
echo '#include "a.h"' >"$bad/common/perf/p.c"
echo '#include "record/ring/r_private.h"' >"$bad/record/main.c"
echo '#include "record/ring/r.h"' >"$bad/report/view/v.c"
echo '#include "common/util/a.h"' >"$bad/report/odd/o.c"
echo '#include "report/view/v.h"' >"$bad/dwell.c"
echo 'x = open("/proc/1/root/etc/passwd");' >"$bad/record/ring/e.c"
printf '%s\n' '### common/util' '### record/gone' >"$bad/doc/architecture.md"

check "the check finds a cycle of includes" \
	"$(seen "$(include_circles "$bad")")" seen
check "the check finds includes against the order of the folders" \
	"$(includes_against_the_order "$bad" | sort)" "common/perf/p a
common/util/c common/perf/p
dwell report/view/v
report/odd/o common/util/a
report/view/v record/ring/r"
check "the check finds a private header that another folder includes" \
	"$(private_elsewhere "$bad")" "record/main record/ring/r_private"
check "the check finds a path to files of another process" \
	"$(paths_of_others "$bad")" record/ring/e.c
check "the check finds an include that is not written from the top folder" \
	"$(relative_includes "$bad")" "common/perf/p a"
check "the check finds a folder of sources that is not in the list" \
	"$(unlisted_folders "$bad")" report/odd
check "the check finds folders and sections of doc/architecture.md without each other" \
	"$(wrong_sections "$bad" | sort)" "common/perf
record
record/gone
record/ring
report/odd
report/view"

# Objects with a violation each. A table of functions closes the cycle.
compile() {
	(cd "$bad" && cat >"$1" && $cc -c "$1" -o "${1%.c}.o")
}
cc=$(sed -n 's/^CC = //p' "$build/Makefile")
compile common/util/a.c <<'END'
extern int (*const b_table[])(void);
int a_run(void) { return b_table[0](); }
END
compile common/util/b.c <<'END'
int a_run(void);
int (*const b_table[])(void) = { a_run };
END
compile common/util/c.c <<'END'
int p_read(void), a_run(void);
int c_run(void) { return p_read() + a_run(); }
END
compile common/perf/p.c <<'END'
#include <stdio.h>
#include <unistd.h>
int p_read(void) { puts("read"); return (int)write(2, "x", 1); }
END
compile record/ring/q.c <<'END'
struct one {
	int a;
};
int reader_open(void) { return 0; }
END
compile report/view/v.c <<'END'
struct one {
	int b;
};
struct two {
	int c;
};
int reader_open(void), result_make(void);
int v_run(void) { return reader_open() + result_make(); }
END
compile common/file/reader.c <<'END'
struct two {
	int d;
};
int reader_open(void) { return 0; }
END

check "the check finds a cycle of calls" "$(call_circles "$bad")" \
	"common/util/a common/util/b b_table
common/util/b common/util/a a_run"
check "the check finds a call against the order of the folders" \
	"$(calls_against_the_order "$bad")" "common/util/c common/perf/p"
check "the check finds a view that calls the reader of recordings" \
	"$(reading_views "$bad")" "report/view/v common/file/reader"
check "the check finds an unlisted file that prints" "$(printing_elsewhere "$bad")" \
	"common/perf/p puts"
check "the check finds an unlisted file that writes to standard error" \
	"$(writing_by_number "$bad")" \
	"common/perf/p.c:3:int p_read(void) { puts(\"read\"); return (int)write(2, \"x\", 1); }"
check "the check finds a function that two files define" "$(functions_twice "$bad")" reader_open
check "the check finds a struct that two files define" "$(structs_twice "$bad")" two

# Changing stacks must not scan again.
mkdir -p "$bad/report/scan" "$bad/report/transform"
compile report/scan/scan.c <<'END'
int scan_run(void) { return 0; }
END
compile report/transform/refine.c <<'END'
int scan_run(void);
int refine_stacks(void) { return scan_run(); }
END
check "the check finds an unlisted call of a function that processes a sample" \
	"$(wrong_steps "$bad" | grep '^>')" "> report/transform/refine report/scan/scan scan_run"

# Public names of the module record/ring/ring. "place" is a term, "turn" is none.
cat >"$bad/record/ring/ring.h" <<'END'
#define RING_EACH(ring) \
	other_macro((ring)->place) /* not a name */
/* ring_old() and struct old { are not names. */
struct ring_place {
	struct part {
		int a;
	} part;
};
enum ring_end { RING_EMPTY = sizeof(int), RING_FULL, BUFFER_SHUT };
struct place {
	int b;
};
struct turn;
static inline int place_first(void) { return '{'; }
static inline int part_first(void) { return ring_next(); }
int rings_open(struct turn *turn);
enum ring_end ring_next(void);
END
echo 'int turn_end(void), placed(void); /* of x.h */ union old_turn { int a; };' \
	>"$bad/record/ring/ring_private.h"
echo '- **place**: where a ring is.' >"$bad/doc/glossary.md"
compile record/ring/ring.c <<'END'
int rings_open(void) { return 0; }
int ring_next(void) { return 0; }
int turn_end(void) { return 0; }
int placed(void) { return 0; }
END
check "the check finds a function, a struct and an enumerator of another name" \
	"$(other_prefixes= && wrong_names "$bad" "$bad")" "record/ring/ring.h part
record/ring/ring.h BUFFER_SHUT
record/ring/ring.h part_first
record/ring/ring_private.h turn_end
record/ring/ring_private.h placed
record/ring/ring_private.h old_turn"
check "the check finds a line of the list of other names that excuses none" \
	"$(other_prefixes='
record/ring/ring old_
record/ring/ring p
record/ring/ring turn_
record/ring/ring buffer_
record/ring/ring ring_
record/gone old_' && wrong_names "$bad" "$bad" | sort)" "record/gone old_ unused
record/ring/ring ring_ unused"
