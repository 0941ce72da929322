#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# same-answers.sh OLD_BUILD NEW_BUILD [FILE...]
#
# Proves that a change of the code changes no answer. Runs the programs dwell of two
# build folders with the same commands on each FILE, and compares standard output,
# standard error, the exit status and the written files byte by byte. The default
# files are the recordings in tests/recorded, and the real perf.data files in
# DWELL_CORPUS (default: ../shared/corpus beside the tree).
#
# Prints each command with another answer, and "N answers, N differ". Exits with
# status 1 if an answer differs.
set -uo pipefail

if [ $# -lt 2 ] || [ ! -x "$1/dwell" ] || [ ! -x "$2/dwell" ]; then
	echo "usage: tests/same-answers.sh OLD_BUILD NEW_BUILD [FILE...]" >&2
	exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
shift 2
tests=$(cd "$(dirname "$0")" && pwd)
corpus=${DWELL_CORPUS:-$tests/../../shared/corpus}
[ $# != 0 ] || set -- "$tests"/recorded/*.data "$corpus"/*.perf.data
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/old" "$work/new"
export HOME=$work/home XDG_CACHE_HOME=$work/home XDG_DATA_HOME=$work/home
export LC_ALL=C TZ=UTC0 TERM=dumb
unset DEBUGINFOD_URLS

# Commands without and with written files. OUT is the file.
commands=(
	"report --stdio" "report --json" "report --csv"
	"report --stdio -g caller" "report --stdio --no-children"
	"report --json -s comm,dso,sym,srcline" "report --csv -s pid,tid,sym"
	"report --stdio --off-cpu -s state,waits_in" "report --stdio -s time,cpu"
	"report --stdio -b" "report --stdio --group-by thread"
	"report --stats" "report --header-only"
	"annotate --stdio" "annotate --json"
	"script" "script -D" "evlist -v" "buildid-list"
)
for format in folded html svg pprof callgrind json csv speedscope firefox chrome \
	perf-script perf-data; do
	commands+=("export --format $format -o OUT")
done

# answer WHICH FOLDER COMMAND FILE: writes the answer to files in $work/WHICH
answer() {
	local words
	rm -f "$work/out"
	read -ra words <<<"${3//OUT/$work/out}"
	case $3 in
	report* | script* | annotate*) words+=(--symfs "$work/home") ;;
	esac
	(cd "$(dirname "$4")" && PATH=$2:$PATH timeout 100 dwell "${words[@]}" -i \
		"$(basename "$4")") >"$work/$1/stdout" 2>"$work/$1/stderr" </dev/null
	echo $? >"$work/$1/status"
	rm -f "$work/$1/written"
	[ ! -e "$work/out" ] || mv "$work/out" "$work/$1/written"
}

n=0 differ=0
for file; do
	for command in "${commands[@]}"; do
		answer old "$old" "$command" "$file"
		answer new "$new" "$command" "$file"
		n=$((n + 1))
		if ! diff -rq "$work/old" "$work/new" >"$work/diff"; then
			differ=$((differ + 1))
			echo "dwell $command -i $file"
			diff -ra "$work/old" "$work/new" | cut -c 1-200 | head -n 6 |
				sed 's/^/    /'
		fi
	done
done
echo "$n answers, $differ differ"
[ "$differ" = 0 ]
