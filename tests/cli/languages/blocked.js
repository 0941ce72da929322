// SPDX-License-Identifier: GPL-2.0-or-later
// blocked.js: prints Error.stack in a function, and then waits in the same source line.
"use strict";

Error.stackTraceLimit = 100;

function wait() {
	const cell = new Int32Array(new SharedArrayBuffer(4));
	console.log(new Error().stack); Atomics.wait(cell, 0, 0, 600000);
}

class Outer {
	descend(n) {
		if (n > 0)
			this.descend(n - 1);
		else
			[1].forEach(() => {
				wait();
			});
	}
}

function* steps() {
	yield new Outer().descend(2);
}

const made = (callback) => callback();

made(function run() {
	steps().next();
});
