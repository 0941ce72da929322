# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the median of sorted numbers, one per line, and its 95 % interval:
# "median (from-to)", or "-". -v digits=N: N digits after the point.
{ v[NR] = $1 }
END {
	if (!NR) { print "-"; exit }
	# The k-th values from both ends enclose the median with 95 %, by the normal
	# approximation of the binomial.
	k = int(NR / 2 - 0.98 * sqrt(NR)) + (NR > 5)
	k = k < 1 ? 1 : k
	f = "%." digits "f"
	middle = (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2
	printf(f " (" f "-" f ")\n", middle, v[k], v[NR + 1 - k])
}
