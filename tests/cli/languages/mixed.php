<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// mixed.php SECONDS: uses this CPU time for deep recursion, generators, exceptions,
// closures and methods that internal functions call, eval(), and garbage.

function work($n) {
	$value = 1;
	for ($i = 0; $i < $n; $i++)
		$value = ($value * 8191 + $i) & 0xffff;
	return $value;
}

function key_of($item) {
	return work(400) + $item;
}

function by_internal($n) {
	return array_map('key_of', range(1, $n));
}

function recurse($n) {
	return $n == 0 ? work(100000) : recurse($n - 1);
}

function generate($n) {
	for ($i = 0; $i < $n; $i++)
		yield work(3000);
}

function consume($n) {
	$sum = 0;
	foreach (generate($n) as $value)
		$sum += $value;
	return $sum;
}

class Shape implements Countable {
	public function count(): int {
		return work(20000) & 7;
	}
	public static function measure() {
		return count(new Shape());
	}
}

function fail($n) {
	try {
		if (work(10000))
			throw new RuntimeException("n$n");
	} catch (RuntimeException $e) {
		return work(10000);
	}
}

eval('function made($n) { return work($n); }');

function serve($seconds) {
	$closure = function ($a, $b) {
		return work(100) * 0 + $a - $b;
	};
	while (getrusage()["ru_utime.tv_sec"] + getrusage()["ru_utime.tv_usec"] / 1e6 <
		$seconds) {
		by_internal(50);
		recurse(900);
		consume(20);
		Shape::measure();
		fail(1);
		// The length of a turn is random, so that the samples are not in step with the turns.
		made(mt_rand(0, 40000));
		$list = range(1, 50);
		usort($list, $closure);
		json_encode(array_fill(0, 1000, "text"));
	}
}

serve((float)$argv[1]);
