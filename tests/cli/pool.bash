# SPDX-License-Identifier: GPL-2.0-or-later
# A made recording of a program whose threads wait. For tests that load named.bash, too.

# wait_sample TID TIME NS CHAIN: a wait of NS, at most 65,535, in the kernel and CHAIN.
wait_sample() {
	echo "record SAMPLE event=1 misc=kernel ip=0xffffffff81000000 pid=7 tid=$1
	 time=$2 period=$3 chain=kernel,0xffffffff81000000,user,$4
	 raw=01000000000000000100000000000000$(printf %02x%02x000000000000 $(($3 & 255)) \
		$(($3 >> 8)))$(printf %032x 0)$(printf %02x%02x000000000000 \
		$(($3 & 255)) $(($3 >> 8)))00000000"
}

# make_pool THREADS [LINE]: makes the recording "data" of a program with named threads,
# which run square() and wait in next_job(), and a main thread that waits in libc only.
make_pool() {
	local i kept=$BATS_FILE_TMPDIR/pool_symbols
	local square=0x400410,0x400210,0x500310,0x500410
	local next_job=0x500110,0x500210,0x600110,0x400310,0x400210,0x500310,0x500410

	[ -s "$kept" ] || printf %s%s%s \
		"$(names /bin/pool 256 main run next_job square)" \
		"$(names /lib/libc.so.6 256 futex_wait pthread_cond_wait start_thread clone3)" \
		"$(names /lib/libstdc++.so.6 256 std::condition_variable::wait)" >"$kept"
	{
		cat <<-END
		file
		event name=cpu-clock type=software config=0 ids=1 sample_period=1000
		 sample_id_all sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN
		event name=offcpu-waits type=software config=10 ids=2 sample_period=1
		 sample_id_all sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN|RAW
		feature EVENT_DESC events
		feature HOSTNAME str=made
		feature OSRELEASE str=1.2.3-made
		feature ARCH str=x86_64
		feature 132 bytes=$(cat "$kept")${more_symbols:-}
		record COMM pid=7 tid=7 comm=pool misc=exec time=1
		record MMAP2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 maj=8 ino=9
		 filename=/bin/pool time=2
		record MMAP2 pid=7 tid=7 addr=0x500000 len=0x10000 prot=5 maj=8 ino=8
		 filename=/lib/libc.so.6 time=2
		record MMAP2 pid=7 tid=7 addr=0x600000 len=0x10000 prot=5 maj=8 ino=7
		 filename=/lib/libstdc++.so.6 time=2
		END
		for ((i = 0; i < $1; i++)); do
			echo "record COMM pid=7 tid=$((8 + i)) comm=worker-$i time=3"
			echo "record SAMPLE ip=0x400410 pid=7 tid=$((8 + i))
			 time=$((1000000 + i * 1000)) period=1000 chain=user,$square"
			wait_sample $((8 + i)) $((2000000 + i * 1000)) 2000 $next_job
		done
		wait_sample 7 3000000 3000 0x500110,0x500310
		sed 's/^[[:blank:]]*record/record/' <<<"${2:-}"
	} | "$DWELL_BUILD/tests/made/make_data" - data
}
