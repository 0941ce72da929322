// SPDX-License-Identifier: GPL-2.0-or-later
// shares.js CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and cool() in us.
"use strict";

function hot(n) {
	let sum = 1;
	for (let i = 0; i < n * 7; i++)
		sum = (Math.imul(sum, 8191) + i) | 0;
	return sum;
}

function warm(n) {
	let sum = 1;
	for (let i = 0; i < n * 2; i++)
		sum = (Math.imul(sum, 8191) + i) | 0;
	return sum;
}

function cool(n) {
	let sum = 1;
	for (let i = 0; i < n; i++)
		sum = (Math.imul(sum, 8191) + i) | 0;
	return sum;
}

function now() {
	const usage = process.cpuUsage();
	return usage.user + usage.system;
}

const times = [0, 0, 0];

function middle(n) {
	const start = now();
	let sum = hot(n);
	const afterHot = now();
	sum += warm(n);
	const afterWarm = now();
	sum += cool(n);
	times[0] += afterHot - start;
	times[1] += afterWarm - afterHot;
	times[2] += now() - afterWarm;
	return sum;
}

function main() {
	let sum = 0;
	for (let i = process.argv[2]; i > 0; i--)
		sum += middle(1000000);
	console.log(times.join(" "));
	console.error(sum);
}

main();
