# SPDX-License-Identifier: GPL-2.0-or-later
# Prints a recording as a text for tests/made. It has STACKS stacks, and its
# flame graph has about 200,000 frames. The stacks branch as a program's do.
# With -v walls=1 they share no frames, so that each frame is wide enough to be
# drawn. With -v samples=N there are N samples of 64 threads, each with a time of
# its own, and 4,000 stacks. The output is the same in each run.
function random(n) {
	seed = seed * 16807 % 2147483647
	return int(seed / 64) % n
}

# Returns an address in one of eight files with 300 functions each.
function address(number) {
	return sprintf("%#x", 4194304 + (number % 8) * 1048576 + \
		int(number / 8) % 300 * 64)
}

BEGIN {
	seed = 7
	threads = samples ? 64 : 24
	if (!stacks)
		stacks = samples ? 4000 : walls ? 1700 : 11000
	print "file"
	print "event name=cpu-clock type=software ids=1 sample_id_all comm" \
		" task sample_type=IP|TID|TIME|PERIOD|CALLCHAIN" \
		" sample_period=1000000"
	for (i = 0; i < threads; i++)
		printf "record COMM pid=7 tid=%d comm=worker%d time=%d\n",
			7 + i, i, 1000 + i
	for (i = 0; i < 8; i++)
		printf "record MMAP2 pid=7 tid=7 addr=%#x len=0x100000" \
			" time=2000 filename=/opt/lib%d.so prot=5\n",
			4194304 + i * 1048576, i
	for (i = 0; i < stacks; i++) {
		# The outer frames, up to here, are the previous stack's.
		shared = walls || !i ? 0 : random(12) + (i % 3 ? 6 : 0)
		depth = walls ? 120 : shared + 1 + random(20)
		for (k = shared; k < depth; k++)
			frame[k] = address(walls ? i * 7 + k : random(2400))
		chain = ""
		for (k = depth - 1; k >= 0; k--)
			chain = chain "," (k in frame ? frame[k] : address(k))
		if (samples) {
			chains[i] = chain
			ip[i] = frame[depth - 1]
			continue
		}
		# Some stacks have many samples.
		n = walls ? 3 : i % 16 ? 1 : 1 + random(40)
		for (k = 0; k < n; k++)
			printf "record SAMPLE ip=%s pid=7 tid=%d time=%.0f" \
				" period=1000000 chain=user%s\n",
				frame[depth - 1], 7 + i % 24,
				1e9 + (i * 61 + k * 17) % stacks * 2e10 / stacks,
				chain
	}
	# A thread stays in neighbouring stacks.
	for (k = 0; k < samples; k++) {
		i = (k % threads * 61 + int(k / 4096) * 7 + random(40)) % stacks
		printf "record SAMPLE ip=%s pid=7 tid=%d time=%.0f" \
			" period=1000000 chain=user%s\n", ip[i],
			7 + k % threads, 1e9 + k * 50000 + random(20000),
			chains[i]
	}
}
