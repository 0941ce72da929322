<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// shares.php CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm()
// and cool() in us.

function hot($n) {
	$value = 1;
	for ($i = 0; $i < $n * 7; $i++)
		$value = ($value * 8191 + $i) & 0xffff;
	return $value;
}

function warm($n) {
	$value = 1;
	for ($i = 0; $i < $n * 2; $i++)
		$value = ($value * 8191 + $i) & 0xffff;
	return $value;
}

function cool($n) {
	$value = 1;
	for ($i = 0; $i < $n; $i++)
		$value = ($value * 8191 + $i) & 0xffff;
	return $value;
}

function now() {
	$usage = getrusage();
	return ($usage["ru_utime.tv_sec"] + $usage["ru_stime.tv_sec"]) * 1000000 +
		$usage["ru_utime.tv_usec"] + $usage["ru_stime.tv_usec"];
}

$times = [0, 0, 0];

function middle($n) {
	global $times;
	$start = now();
	$value = hot($n);
	$after_hot = now();
	$value += warm($n);
	$after_warm = now();
	$value += cool($n);
	$times[0] += $after_hot - $start;
	$times[1] += $after_warm - $after_hot;
	$times[2] += now() - $after_warm;
	return $value;
}

function main($calls) {
	global $times;
	$value = 0;
	for ($i = 0; $i < $calls; $i++)
		$value += middle(100000);
	echo implode(" ", $times), "\n";
	fprintf(STDERR, "%d\n", $value);
}

main((int)$argv[1]);
