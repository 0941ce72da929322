// SPDX-License-Identifier: GPL-2.0-or-later
// mixed.js SECONDS: uses this CPU time for code with closures, generators, classes,
// exceptions, recursion, builtins that call functions, new Function(), and calls of
// methods of several classes. The code also produces garbage.
"use strict";

class Square {
	area() {
		return 4;
	}
}
class Circle {
	area() {
		return 3.14;
	}
}
class Triangle {
	area() {
		return 0.5;
	}
}

function fibonacci(n) {
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

function descend(n) {
	return n === 0 ? fibonacci(12) : descend(n - 1) + 1;
}

function* count(n) {
	for (let i = 0; i < n; i++)
		yield i * 2;
}

function fail(n) {
	try {
		if (n % 3 === 0)
			throw new Error("n" + n);
		return n;
	} catch (error) {
		return error.message.length;
	}
}

function collect() {
	const words = Array.from({ length: 2000 }, (_, i) => "s" + (i * 7919) % 2000);
	words.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	return words.map((word) => word.length).filter((n) => n % 2)
		.reduce((a, b) => a + b, 0);
}

const made = new Function("n", "let s = 0; for (let i = 0; i < n; i++) s += i; return s;");

function serve(seconds) {
	const shapes = [new Square(), new Circle(), new Triangle()];
	let sink = 0;
	while (process.cpuUsage().user < seconds * 1e6) {
		sink += made(1000);
		for (let i = 0; i < 20; i++)
			sink += fibonacci(14) + descend(200);
		for (const n of count(300))
			sink += fail(n) + shapes[n % 3].area();
		sink += collect();
	}
	return sink;
}

console.log(serve(process.argv[2]));
