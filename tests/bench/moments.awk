# SPDX-License-Identifier: GPL-2.0-or-later
# Reads `dwell script -F stack_origin,ip,sym --max-stack 99999` of moments. For
# each stack origin, prints how many stacks are complete, and how many of these
# contain frames of different descents.

function flush(	i, at, number, index_, bits, is_wrong, first, lead) {
	if (!n)
		return
	all[origin]++
	is_wrong = 0
	first = -1
	at = 0
	# The frames outside of the first sync() are libc's and main().
	for (i = n; i > 0 && name[i] != "sync"; i--)
		lead++
	if (name[n] !~ /^(_start|_*clone3?)$/) {
		n = 0
		return
	}
	whole[origin]++
	while (i > 0) {
		if (name[i] != "sync")
			break
		number = index_ = 0
		for (bits = 0; bits < 28 && i - 1 - bits > 0; bits++) {
			if (name[i - 1 - bits] == "one") {
				if (bits < 16)
					number += 2 ^ bits
				else
					index_ += 2 ^ (bits - 16)
			} else if (name[i - 1 - bits] != "zero")
				break
		}
		if (bits < 28)
			break
		if (first < 0)
			first = number
		if (number != first || index_ != at)
			is_wrong = 1
		at++
		i -= 29
	}
	# Only the innermost cycle may be incomplete.
	if (i > 30)
		is_wrong = 1
	wrong[origin] += is_wrong
	n = 0
}

!/^\t/ && NF { flush(); origin = $NF; n = 0; next }
/^\t/ { name[++n] = $2; sub(/\+0x.*/, "", name[n]) }
END {
	flush()
	for (origin in all)
		printf "%s %d whole %d wrong %d\n", origin, all[origin],
			whole[origin], wrong[origin]
}
