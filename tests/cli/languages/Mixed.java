// SPDX-License-Identifier: GPL-2.0-or-later
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Mixed SECONDS: runs three threads, each for this CPU time, with recursion, exceptions,
 * interface calls of several classes, collections and streams. The threads also produce
 * garbage.
 */
public class Mixed {
	interface Shape {
		double area();
	}
	static class Square implements Shape {
		public double area() {
			return 4;
		}
	}
	static class Circle implements Shape {
		public double area() {
			return 3.14;
		}
	}
	static class Triangle implements Shape {
		public double area() {
			return 0.5;
		}
	}
	static long fibonacci(int n) {
		return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	}
	static int descend(int n) {
		return n == 0 ? (int)fibonacci(12) : descend(n - 1) + 1;
	}
	static int fail(int n) {
		try {
			if (n % 3 == 0)
				throw new IllegalStateException("n" + n);
			return n;
		} catch (IllegalStateException e) {
			return e.getMessage().length();
		}
	}
	static long collect() {
		HashMap<String, Integer> map = new HashMap<>();
		for (int i = 0; i < 2000; i++)
			map.merge("k" + i % 500, 1, Integer::sum);
		Integer[] numbers = new Integer[2000];
		Random random = new Random(1);
		for (int i = 0; i < numbers.length; i++)
			numbers[i] = random.nextInt();
		Arrays.sort(numbers, (x, y) -> Integer.compare(y, x));
		return map.size() + numbers[0] +
			IntStream.range(0, 2000).mapToObj(i -> "s" + i)
				.collect(Collectors.groupingBy(String::length)).size();
	}
	static volatile long sink;
	static void serve(double seconds) {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		Shape[] shapes = { new Square(), new Circle(), new Triangle() };
		while (clock.getCurrentThreadCpuTime() < seconds * 1e9) {
			sink += fibonacci(16) + descend(200);
			for (int i = 0; i < 300; i++)
				sink += fail(i) + (long)shapes[i % 3].area();
			sink += collect();
		}
	}
	public static void main(String[] args) throws Exception {
		double seconds = Double.parseDouble(args[0]);
		Thread[] threads = new Thread[3];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> serve(seconds), "server-" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}
}
