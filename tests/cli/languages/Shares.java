// SPDX-License-Identifier: GPL-2.0-or-later
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Shares CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and cool() in ns. */
public class Shares {
	static long work(long n) {
		long sum = 1;
		for (long i = 0; i < n; i++)
			sum = sum * 636413622384679305L + i;
		return sum;
	}
	static long hot(long n) {
		return work(7 * n) + 1;
	}
	static long warm(long n) {
		return work(2 * n) + 1;
	}
	static long cool(long n) {
		return work(n) + 1;
	}
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static long now() {
		return CLOCK.getCurrentThreadCpuTime();
	}
	static long[] times = new long[3];
	static long middle(long n) {
		long start = now();
		long sum = hot(n);
		long afterHot = now();
		sum += warm(n);
		long afterWarm = now();
		sum += cool(n);
		times[0] += afterHot - start;
		times[1] += afterWarm - afterHot;
		times[2] += now() - afterWarm;
		return sum;
	}
	public static void main(String[] args) {
		long sum = 0;
		for (int i = Integer.parseInt(args[0]); i > 0; i--)
			sum += middle(100000);
		System.out.println(times[0] + " " + times[1] + " " + times[2]);
		System.err.println(sum);
	}
}
