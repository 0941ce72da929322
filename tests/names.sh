#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that the files and the functions that documents and comments of C files name
# exist. A file is named by its path from the top folder, or NAME.c and NAME.h; a
# function is NAME_NAME(). Prints TAP.

top=$(cd "${DWELL_SOURCE:-$(dirname "$0")/..}" && pwd)

# Names that how-tos use as examples, and files that a build makes.
examples='
report/view/view_markdown.c
config.h
tests/cli/record.log
record/bpf/unwind_object.h
escape_markdown
give_up
is_common
module_verb
'
# Functions of the kernel and of runtimes that comments name.
foreign='
begin_new_exec
bpf_get_prog_name
copy_scopes_pcs
ctx_resched
generate_fixed_frame
kallsyms_show_value
lj_debug_line
mtree_lookup_walk
perf_callchain_user
perf_event_exit_task
perf_event_overflow
perf_swevent_init_hrtimer
perf_uprobe_init
safepoint_poll
trace_call_bpf
write_build_ids
'

# Tutorials name files and functions of their own.
documents() {
	find ./*.md doc -name '*.md' ! -name 'tutorial-*' 2>/dev/null
}

c_files() {
	find common record report include dwell.c -name '*.[ch]' 2>/dev/null
}

# Prints the lines of C files, either those that begin as comments or the others.
comments() {
	c_files | xargs grep -HE '^[[:space:]]*/?\*'
}
code() {
	c_files | xargs grep -hvE '^[[:space:]]*/?\*'
	find tests \( -name '*.[ch]' -o -name '*.bash' -o -name '*.sh' \) -exec cat {} +
}

# without LIST: omits the lines "NAME ..." whose NAME is in LIST or is made of an
# x, which stands for any name, or capital letters.
without() {
	awk -v list="$1" '
		BEGIN {
			n = split(list, names, "\n")
			for (i = 1; i <= n; i++)
				is_listed[names[i]]
		}
		!($1 in is_listed) && $1 !~ /_x($|[.])|[A-Z]|[*][\/]/'
}

# wrong_files FOLDER: prints "NAME (PLACE)" of named files that do not exist.
wrong_files() {
	(cd "$1" && {
		documents | xargs grep -HoE \
			-e '`(common|record|report|include|doc|tests|packaging)/[A-Za-z0-9_.*/+-]+' \
			-e '`[a-z0-9_]+\.[ch]\>'
		comments | grep -oE -e '^[^:]*:' \
			-e '\<(common|record|report|tests|doc)/[a-z0-9_/]+\.(c|h|md|bats|sh)\>' |
			awk '/:$/ { file = $0; next } { print file $0 }'
	} | sed -n 's/^\([^:]*\):`\{0,1\}\(.*[^.]\)\.\{0,1\}$/\2 \1/p' | sort -u |
		while read -r name place; do
			# shellcheck disable=SC2046,SC2086
			case $name in
			*/*) set -- $name "$name".[ch] ;;
			*) set -- $(find common record report tests -name "$name" 2>/dev/null | head -n 1) ;;
			esac
			for path; do
				[ ! -e "$path" ] || continue 2
			done
			echo "$name ($place)"
		done) | without "$examples"
}

# wrong_functions FOLDER: prints "NAME (PLACE)" of named functions that do not exist.
wrong_functions() {
	(cd "$1" && {
		documents | xargs grep -HoE '\<[a-z][a-z0-9]*_[a-z0-9_]+\(\)'
		comments | grep -oE -e '^[^:]*:' -e '\<[a-z][a-z0-9]*_[a-z0-9_]+\(\)' |
			awk '/:$/ { file = $0; next } { print file $0 }'
	} | sed 's/^\([^:]*\):\(.*\)()$/\2 (\1)/' | sort -u >"$made/named"
		code | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u |
			awk 'NR == FNR { is_used[$1]; next } !($1 in is_used)' - "$made/named") |
		without "$examples$foreign"
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

made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/doc" "$made/common" "$made/tests"
echo '`common/a.c`, `common/gone.c`, `b.h`, a_run() and a_gone()' >"$made/doc/a.md"
printf '%s\n' '/* As a_run() and c_gone() of common/old.h. */' 'void a_run(void) {}' \
	>"$made/common/a.c"

echo 1..4
check "files that documents and comments name exist" "$(wrong_files "$top")" ""
check "functions that documents and comments name exist" "$(wrong_functions "$top")" ""
check "the check finds named files that do not exist" "$(wrong_files "$made")" "b.h (doc/a.md)
common/gone.c (doc/a.md)
common/old.h (common/a.c)"
check "the check finds named functions that do not exist" "$(wrong_functions "$made")" \
	"a_gone (doc/a.md)
c_gone (common/a.c)"
