# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of dwell's and perf's reports in one form, so that whole answers can be
# compared: "children|self|samples|comm|dso|symbol", sorted.

load ../cli/common.bash

# perf 6.1 has inlined functions only where it unwound a stack itself: what is
# compared has none, unless --inline stands behind it.
# Not for what runs in the background: its number would be a shell's.
dwell() {
	case $1 in
	report | script | export)
		command dwell "$1" --no-inline "${@:2}" ;;
	*)
		command dwell "$@" ;;
	esac
}

# perf keeps a copy of each file that ran, where dwell doesn't look. Of the whole
# machine some programs are gone, or built anew, when the report is made, such as those of
# another test: then perf shall have no names of them either.
forget_gone() {
	local ids=$BATS_FILE_TMPDIR/build-ids copy file

	find "$ids" -path "$ids/\[*" -prune -o -name elf -print 2>/dev/null |
		while read -r copy; do
			file=${copy%/*/elf}
			cmp -s "$copy" "${file#"$ids"}" || rm -f "$copy"
		done
}

# Text without the names of ways out to other files (f@plt): perf has some wrong,
# and takes others for _init, which is the last symbol before them.
without_ways() {
	sed -E 's/(^|--|;| )([^ ;%]*@plt|_init)(\+0x[0-9a-f]+)?(;| |$)/\1@plt\4/g'
}

# same_lines PERF DWELL: two such texts are equal. What stands in no section that perf
# knows (.plt.got) has no name there.
same_lines() {
	[ -s "$1" ]
	awk 'NR == FNR { dwell[FNR] = $0; next }
		$0 != dwell[FNR] && / \[unknown\]/ {
			named = $0
			sub(/ \[unknown\]/, " @plt", named)
			if (named == dwell[FNR])
				$0 = named
		}
		{ print }' "$2" "$1" | diff - "$2"
}

# What differs on purpose is evened out:
# - perf leaves out the last frames of a chain that is as long as the kernel
#   makes them, unless it is told not to;
# - perf makes the column of names as wide as threads are called at the end,
#   and cuts what they were called before, unless it is told the width;
# - what runs though its file is deleted has names in dwell's recordings, none
#   in perf: such rows are left out;
# - an address without a mapping is user code here, in perf's rows of callers
#   kernel code, and 0 without its 0x;
# - perf names the ways out of libc (f@plt) in the order of their relocations,
#   in which they aren't, and takes some of others for _init;
#   tests/peer/symbols.bats asks objdump about them;
# - behind a symbol of data, where no code is, perf puts how far behind it the
#   row's first address is.
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
		grep -v -e '@plt$' -e ' _init$' | sort
}

dwell_rows() {
	dwell report --stdio -g none -n "$@" |
		grep -v -e '^#' -e '(deleted)' | grep . |
		sed -e 's/^ *//' -e 's/  \+/|/g' -e 's/%//g' |
		sort >"$BATS_TEST_TMPDIR/all.rows"
	grep -v -e '@plt$' -e ' _init$' "$BATS_TEST_TMPDIR/all.rows"
}

# Of stripped programs perf has no names for ways out: their rows are left out, as
# many at most as dwell has such names.
without_unnamed_ways() {
	cd "$BATS_TEST_TMPDIR" || return
	comm -23 perf.rows dwell.rows |
		grep '\] 0x[0-9a-f]*$' >unnamed.rows || return 0
	[ "$(wc -l <unnamed.rows)" -le "$(grep -c '@plt$' all.rows)" ] || return 0
	grep -vxFf unnamed.rows perf.rows >named.rows
	mv named.rows perf.rows
}

# An unresolved caller is one row per address of the file here; in perf one row
# per address of the process, apart from the row that it has when sampled.
only_comparable() {
	grep -v '\] 0x[0-9a-f]*$'
}

# same_rows FILE OPTION...: both report the same rows, none is left over.
same_rows() {
	local file=$1
	shift
	perf_rows -i "$file" "$@" >"$BATS_TEST_TMPDIR/perf.rows"
	dwell_rows -i "$file" "$@" >"$BATS_TEST_TMPDIR/dwell.rows"
	[ -s "$BATS_TEST_TMPDIR/perf.rows" ]
	(without_unnamed_ways)
	diff "$BATS_TEST_TMPDIR/perf.rows" "$BATS_TEST_TMPDIR/dwell.rows"
}

same_caller_rows() {
	local file=$1
	shift
	perf_rows -i "$file" --children "$@" |
		only_comparable >"$BATS_TEST_TMPDIR/perf.rows"
	dwell_rows -i "$file" --children "$@" |
		only_comparable >"$BATS_TEST_TMPDIR/dwell.rows"
	[ -s "$BATS_TEST_TMPDIR/perf.rows" ]
	diff "$BATS_TEST_TMPDIR/perf.rows" "$BATS_TEST_TMPDIR/dwell.rows"
}

# compile SOURCE PROGRAM FLAG...: a workload with frame pointers.
compile() {
	local source=$1 program=$2
	shift 2
	"${CC:-cc}" -O2 -g -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls "$source" -o "$program" \
		-lpthread "$@"
}
