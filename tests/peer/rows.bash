# SPDX-License-Identifier: GPL-2.0-or-later
# Converts rows of dwell's and perf's reports to one form, so that whole reports
# can be compared: "children|self|samples|comm|dso|symbol", sorted.

load ../cli/common.bash

# is_chosen [N]: succeeds at every Nth call of a test, without N at every second one, or at
# each if DWELL_TEST_WHOLE is set, as in make check-long. For nested loops: if the number of
# forms is a multiple of N, a test that adds 1 to turn before the forms of each compiler has
# other forms with the next compiler.
is_chosen() {
	turn=$((${turn:-0} + 1))
	[ -n "${DWELL_TEST_WHOLE:-}" ] || [ $((turn % ${1:-2})) = 0 ]
}

# Without inlined functions, unless --inline follows: perf 6.1 has them only in
# stacks that it unwinds itself. Without guessed functions and the frame of cut stacks,
# which perf does not have.
# Not for background commands: $! would be a shell's pid.
dwell() {
	case $1 in
	report | export)
		command dwell "$1" --no-inline --no-guessed-functions \
			--no-cut-stacks "${@:2}" ;;
	script)
		command dwell "$1" --no-inline --no-guessed-functions \
			"${@:2}" ;;
	diff)
		command dwell "$1" --no-guessed-functions --no-cut-stacks \
			"${@:2}" ;;
	annotate)
		command dwell "$1" --no-guessed-functions "${@:2}" ;;
	*)
		command dwell "$@" ;;
	esac
}

# perf keeps a copy of each file that ran, which dwell does not read. In a
# system-wide recording some programs are deleted or rebuilt before the report,
# such as those of another test. This removes perf's copies of them.
forget_gone() {
	local ids=$BATS_FILE_TMPDIR/build-ids copy file

	find "$ids" -path "$ids/\[*" -prune -o -name elf -print 2>/dev/null |
		while read -r copy; do
			file=${copy%/*/elf}
			cmp -s "$copy" "${file#"$ids"}" || rm -f "$copy"
		done
}

# hidden_aliases: prints "library name other" for each name of a function of the
# system's libraries that also has a name with a hidden version. OTHER is the same for
# all names of the function. dwell avoids hidden versions (free), perf does not (cfree), so
# that the names are compared by OTHER.
hidden_aliases() {
	local name library id
	for name in libc.so.6 libm.so.6 libpthread.so.0 libstdc++.so.6 \
		ld-linux-x86-64.so.2; do
		library=$(cc -print-file-name=$name)
		[ -e "$library" ] || continue
		id=$(readelf -n "$library" 2>/dev/null | sed -n 's/.*Build ID: //p')
		{
			nm -D "$library"
			nm "$library"
			nm "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
		} 2>/dev/null |
			awk 'NF == 3 && $2 ~ /^[TtWwVi]$/ { print $1, $3 }' |
			sort -u | awk -v library="$name" '
			{ names[$1] = names[$1] " " $2 }
			$2 ~ /[^@]@[^@]/ { hidden[$1] }
			END {
				for (at in hidden) {
					n = split(names[at], name, " ")
					for (i = 1; i <= n; i++) {
						bare = name[i]
						sub(/@.*/, "", bare)
						print library, name[i], "alias-" name[1]
						print library, bare, "alias-" name[1]
					}
				}
			}'
	done
}

# by_alias: replaces the names of functions that have a name with a hidden version. A line
# that does not name its library is taken for one of libc.
by_alias() {
	local aliases=$BATS_FILE_TMPDIR/aliases
	[ -e "$aliases" ] || hidden_aliases >"$aliases"
	LC_ALL=C awk '
		NR == FNR { other[$1, $2] = $3; libraries[$1]; next }
		{
			library = "libc.so.6"
			for (one in libraries)
				if (index($0, one))
					library = one
			text = ""
			rest = $0
			while (match(rest, /[A-Za-z_][A-Za-z0-9_.@]*/)) {
				name = substr(rest, RSTART, RLENGTH)
				text = text substr(rest, 1, RSTART - 1) \
					((library, name) in other ? \
						other[library, name] : name)
				rest = substr(rest, RSTART + RLENGTH)
			}
			print text rest
		}' "$aliases" -
}

# same_own, with one name for the names of a function that has a hidden one.
eval "$(declare -f same_own | sed '1s/same_own/same_own_names/')"
same_own() {
	by_alias <"$1" >"$1.aliased"
	by_alias <"$2" >"$2.aliased"
	same_own_names "$1.aliased" "$2.aliased" "${@:3}"
}

# without_ways: replaces the names of PLT entries (f@plt): perf has some wrong,
# and resolves others as _init, the last symbol before them. Replaces aliases too.
without_ways() {
	sed -E 's/(^|--|;| )([^ ;%]*@plt|_init)(\+0x[0-9a-f]+)?(;| |$)/\1@plt\4/g' |
		by_alias
}

# same_lines PERF DWELL: compares two of these texts with same_own. Code in a
# section without symbols in perf (.plt.got) has no name there.
same_lines() {
	[ -s "$1" ]
	awk 'NR == FNR { dwell[FNR] = $0; next }
		$0 != dwell[FNR] && / \[unknown\]/ {
			named = $0
			sub(/ \[unknown\]/, " @plt", named)
			if (named == dwell[FNR])
				$0 = named
		}
		{ print }' "$2" "$1" >"$1.named"
	same_own "$1.named" "$2"
}

# Intended differences are removed first:
# - perf omits the last frames of a chain that has the kernel's maximum length,
#   unless an option prevents it;
# - perf makes the column of names as wide as the threads' last names, and cuts
#   earlier names, unless an option sets the width;
# - programs whose file is deleted have names in dwell's recordings, and none in
#   perf: these rows are omitted;
# - an address without a mapping is user code in dwell. In perf's rows of
#   callers it is kernel code, and 0 has no 0x;
# - perf names libc's PLT entries (f@plt) in the order of their relocations,
#   which is wrong, and resolves some as _init; tests/peer/symbols.bats compares
#   them with objdump;
# - behind a symbol of data, where there is no code, perf appends the offset of
#   the row's first address;
# - only dwell marks files of one path that are different builds.
perf_rows() {
	local widths=(-w 0,0,0,64)

	case " $* " in
	*" -s comm "* | *" -s comm,"*) widths=(-w 0,0,64) ;;
	*" -s "*) widths=() ;;
	*" --no-children "*) widths=(-w 0,0,64) ;;
	esac
	forget_gone
	perf report --stdio -g none -n -t'|' --max-stack 512 "${widths[@]}" \
		"$@" 2>/dev/null |
		grep -v -e '^#' -e '(deleted)' | grep . |
		sed -e 's/ *|/|/g' -e 's/| */|/g' -e 's/^ *//' -e 's/ *$//' \
			-e 's/%//g' \
			-e 's/|\[unknown\]|\[k\] /|[unknown]|[.] /' \
			-e 's/\] 0000000000000000$/] 0x0000000000000000/' \
			-e 's/+0x[0-9a-f]*$//' |
		grep -v -e '@plt$' -e ' _init$' | by_alias | sort
}

dwell_rows() {
	dwell report --stdio -g none -n "$@" |
		grep -v -e '^#' -e '(deleted)' | grep . |
		sed -e 's/^ *//' -e 's/ \[build [0-9a-f]*\]//' \
			-e 's/  \+/|/g' -e 's/%//g' |
		by_alias | sort >"$BATS_TEST_TMPDIR/all.rows"
	grep -v -e '@plt$' -e ' _init$' "$BATS_TEST_TMPDIR/all.rows"
}

# perf has no names for PLT entries of stripped programs: their rows are
# omitted, at most as many as dwell has rows of PLT entries.
without_unnamed_ways() {
	cd "$BATS_TEST_TMPDIR" || return
	comm -23 perf.rows dwell.rows |
		grep '\] 0x[0-9a-f]*$' >unnamed.rows || return 0
	[ "$(wc -l <unnamed.rows)" -le "$(grep -c '@plt$' all.rows)" ] || return 0
	grep -vxFf unnamed.rows perf.rows >named.rows
	mv named.rows perf.rows
}

# An unresolved caller is a row per address of the file in dwell. In perf it is
# a row per address of the process, separate from the row of samples at that
# address.
only_comparable() {
	grep -v '\] 0x[0-9a-f]*$'
}

# same_rows FILE OPTION...: succeeds if both report the same rows (same_own).
same_rows() {
	local file=$1
	shift
	perf_rows -i "$file" "$@" >"$BATS_TEST_TMPDIR/perf.rows"
	dwell_rows -i "$file" "$@" >"$BATS_TEST_TMPDIR/dwell.rows"
	[ -s "$BATS_TEST_TMPDIR/perf.rows" ]
	(without_unnamed_ways)
	same_own "$BATS_TEST_TMPDIR/perf.rows" "$BATS_TEST_TMPDIR/dwell.rows"
}

same_caller_rows() {
	local file=$1
	shift
	perf_rows -i "$file" --children "$@" |
		only_comparable >"$BATS_TEST_TMPDIR/perf.rows"
	dwell_rows -i "$file" --children "$@" |
		only_comparable >"$BATS_TEST_TMPDIR/dwell.rows"
	same_own "$BATS_TEST_TMPDIR/perf.rows" "$BATS_TEST_TMPDIR/dwell.rows"
}

# compile SOURCE PROGRAM FLAG...: compiles a workload with frame pointers.
compile() {
	local source=$1 program=$2
	shift 2
	"${CC:-cc}" -O2 -g -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls "$source" -o "$program" \
		-lpthread "$@"
}
