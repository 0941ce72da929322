// SPDX-License-Identifier: GPL-2.0-or-later
// A browser that runs for many calls of browse() (common.bash). The server prints its
// port of the loopback address and a secret word. A call sends words that end with NUL:
// the secret word, the number of words that follow, the folder, the page, and commands;
// without a page, the server ends. The answer has three texts that end with NUL: the
// output, an error, and the exit status.
//
// The server ends by the request to end, when Chromium has ended, or when the process
// that owns the server has ended. Chromium ends with the server, even if that is killed.
'use strict';

const { randomUUID } = require('crypto');
const { readFileSync } = require('fs');
const { createServer } = require('net');
const { Browser, Tab } = require('./browser.js');

const secret = randomUUID();

// Returns the time at which process PID was started, or undefined if it has ended.
function startOf(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
		const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return 'ZX'.includes(state) ? undefined : fields[18];
	} catch {
		return undefined;
	}
}

// Resolves to the words of a request. Ends the connection of another program.
function readRequest(socket) {
	let text = '';

	socket.setEncoding('utf8');
	return new Promise((done) => socket.on('data', (data) => {
		const [word, count, ...words] = (text += data).split('\0');

		if (count !== undefined && word !== secret)
			socket.destroy();
		else if (words.length > Number(count))
			done(words.slice(0, -1));
	}));
}

// Serves calls until process OWNER ends. A call is run(tab, request, say), where
// say(text) adds a line to its output. The calls run one after the other, in one tab:
// that takes a third of the CPU time of new tabs.
function serve(owner, run) {
	const start = startOf(owner), browser = new Browser(process.cwd());
	let tab = new Tab(browser), last = Promise.resolve();

	async function answer([folder, file, ...lines], socket) {
		let output = '', fault = '', status = 0;

		// The caller may be killed while a command runs.
		const close = () => tab.close().catch(() => {});
		socket.on('close', close);
		try {
			if (tab.isClosed)
				tab = new Tab(browser);
			await run(tab, { folder, file, lines }, (text) => {
				output += `${text}\n`;
			});
		} catch ({ message }) {
			fault = message;
			status = 1;
			await close();
		}
		socket.off('close', close);
		socket.end(`${output}\0${fault}\0${status}\0`);
	}

	const server = createServer((socket) => {
		// Errors of a socket are not handled: its 'close' follows.
		socket.on('error', () => {});
		readRequest(socket).then((words) => {
			if (words.length > 1)
				last = last.then(() => answer(words, socket));
			else
				stop().then(() => socket.end());
		});
	});
	const watch = setInterval(() => {
		if (!start || startOf(owner) !== start)
			stop();
	}, 500);

	// The process ends when the answers to all calls are sent, or after a second.
	async function stop() {
		clearInterval(watch);
		server.close();
		await browser.end();
		setTimeout(() => process.exit(), 1000).unref();
	}

	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
		process.on(signal, stop);
	browser.ended.then(stop);
	server.listen(0, '127.0.0.1', () => process.stdout.write(
		`${server.address().port} ${secret}\n`));
}

module.exports = { serve };
