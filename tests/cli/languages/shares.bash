# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# same_shares FILE PREFIX N...: succeeds if the shares of the samples of hot(), warm() and
# cool() equal the shares of the times N..., which the program measured, to five standard
# errors and 1 %. If most functions were read after the sample (without BPF), the samples
# of some milliseconds have the same functions, and 15 standard errors are allowed. At least
# 98 % of these samples must have main() and middle() as callers. PREFIX is the start of the
# names of the functions. If $only_comms is set, counts only processes of this name.
same_shares() {
	local file=$1 prefix=$2 all late

	shift 2
	dwell report --header-only -i "$file" >header
	all=$(sed -n 's/^# stacks : //p' header)
	late=$(sed -n 's/^# stacks_late : //p' header)
	dwell export --format folded ${only_comms:+-c "$only_comms"} -i "$file" -o - |
		awk -v prefix="$prefix" -v times="$*" -v errors="$((${late:-0} * 2 > ${all:-0} ? 15 : 5))" '
			function has(name) {
				return index(stack, ";" prefix name ";")
			}
			{
				n = $NF
				$NF = ""
				sub(/ $/, ";")
				stack = ";" $0
				if (!has("hot") && !has("warm") && !has("cool"))
					next
				all += n
				rooted += n * (has("main") && has("middle"))
				hot += n * !!has("hot")
				warm += n * !!has("warm")
				cool += n * !!has("cool")
			}
			function far(count, share) {
				error = sqrt(share * (1 - share) / all) * errors + 0.01
				return count / all > share + error ||
					count / all < share - error
			}
			END {
				split(times, t, " ")
				sum = t[1] + t[2] + t[3]
				print all, rooted, hot, warm, cool, times, errors
				exit all < 100 || rooted < all * 0.98 ||
					far(hot, t[1] / sum) ||
					far(warm, t[2] / sum) ||
					far(cool, t[3] / sum)
			}' >&2
}

# all_calls: succeeds if nine in ten stacks of recurse() and work() in the file "stacks"
# have 901 calls of recurse().
all_calls() {
	awk -F ';' '/;recurse;work/ {
		n = 0
		for (i = 1; i <= NF; i++)
			n += $i == "recurse"
		sub(/^.* /, "")
		if (n == 901)
			good += $0
		else
			bad += $0
	} END { print good + 0, bad + 0 >"/dev/stderr"; exit good < 1 || bad > good / 10 }' stacks
}

# few_unassigned: succeeds if at most 20 stacks have functions without a native frame,
# according to the messages of dwell record -v in the file "log".
few_unassigned() {
	local alone

	alone=$(sed -nE 's/^dwell record: ([0-9]+) stacks? (have|has) interpreted functions that could not be assigned.*/\1/p' log)
	[ "${alone:-0}" -le 20 ]
}

# samples_of TEXT: prints the number of samples with TEXT in their stack, in the file
# "stacks".
samples_of() {
	grep -F "$1" stacks | awk '{ n += $NF } END { print n + 0 }'
}

# has_callers START WANTED...: succeeds if, in the file "stacks", nearly all samples of work()
# in the last function of each list of functions WANTED have START and WANTED as callers.
has_callers() {
	local start=$1 wanted inner all good

	shift
	for wanted; do
		inner=${wanted##*;}
		all=$(samples_of ";$inner;work")
		good=$(samples_of "$start$wanted;work")
		echo "$wanted: $good of $all" >&2
		[ "$good" -ge 5 ] || return
		[ $((all - good)) -le $((all / 25 + 3)) ] || return
	done
}

# records_forged LANGUAGE COMMAND...: records COMMAND with its modes 1 to 3
# (forged_interpreter.c). Succeeds if this takes little time, frames that are not plausible
# are counted, and control characters of names are not printed.
records_forged() {
	local language=$1 mode

	shift
	for mode in 1 2 3; do
		SECONDS=0
		dwell record -v -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
			"$@" $mode 0.2 2>log
		cat log >&2
		[ "$SECONDS" -lt 20 ]
		dwell report --stdio -G -s dso,sym -i a.data >rows
		absent grep "$(printf '\033')" rows
		case $mode in
		1 | 2)
			grep "$language: .* frames were read, [1-9][0-9]* were not plausible" log
			dwell report --stats -i a.data |
				grep -A2 "^$language stats:" | grep -E 'REJECTED frames: +[1-9]'
			absent grep -F 'a\x1b' rows
			;;
		3) grep -F "[$language]" rows && grep -F 'a\x1b[31m\x0ab' rows ;;
		esac
	done
}

# named_after_slow_start NAME FUNCTION COMMAND...: records COMMAND, whose runtime is in the file
# with NAME in its name. The file is mapped for one second before it is initialized
# (slow_start.c). Succeeds if this second has samples, and at least 30 samples after it have
# FUNCTION.
named_after_slow_start() {
	local name=$1 function=$2 n

	shift 2
	gcc -O1 -shared -fPIC -o slow_start.so "$DWELL_SOURCE/tests/cli/languages/slow_start.c"
	dwell record -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		env LD_AUDIT="$PWD/slow_start.so" SLOW_START="$name" "$@" 2>log >out
	cat log >&2
	dwell export --force --format folded -i a.data -o stacks
	[ "$(samples_of '[JIT]')" -ge 20 ] || return
	n=$(samples_of "$function")
	echo "$function: $n" >&2
	[ "$n" -ge 30 ] || return
	absent grep 'have no names' log
}
