// SPDX-License-Identifier: GPL-2.0-or-later
/** Starts the thread "blocked", which sleeps in a stack with lambdas and recursive calls. */
public class Blocked {
	interface Step {
		void go(int n) throws Exception;
	}
	static class Inner {
		static void sleep(int n) throws Exception {
			Thread.sleep(n);
		}
	}
	static void down(int n, Step step) throws Exception {
		if (n > 0)
			down(n - 1, step);
		else
			step.go(600000);
	}
	static synchronized void locked() throws Exception {
		down(3, Inner::sleep);
	}
	public static void main(String[] args) throws Exception {
		Thread thread = new Thread(() -> {
			try {
				locked();
			} catch (Exception e) {
			}
		}, "blocked");
		thread.start();
		thread.join();
	}
}
