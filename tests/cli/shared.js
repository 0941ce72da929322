// SPDX-License-Identifier: GPL-2.0-or-later
// A browser that runs for many calls of browse.js. The first call starts a server,
// which starts Chromium and listens on a socket in a folder. A call receives a first
// line that says that the browser runs, sends the request in one line, and receives a
// line for each text to print, and then one with the exit status. All lines are JSON.
//
// The server ends by the request to end, when Chromium has ended, or when the process
// that owns the server has ended. Chromium ends with the server, even if that is killed.
'use strict';

const { spawn } = require('child_process');
const { readFileSync, rmSync } = require('fs');
const { connect, createServer } = require('net');
const { createInterface } = require('readline');
const { Browser, Tab } = require('./browser.js');

// The socket in the folder, which is the working directory: an address of a socket has
// at most 107 bytes.
const name = 'browser';

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

function send(socket, message) {
	if (socket.writable)
		socket.write(`${JSON.stringify(message)}\n`);
}

// Errors of a socket are not handled: its 'close' follows.
function readLines(socket) {
	socket.on('error', () => {});
	return createInterface({ input: socket }).on('error', () => {});
}

async function answer(browser, request, run, socket) {
	const tab = new Tab(browser);

	// The caller may be killed while a command runs.
	socket.on('close', () => tab.close().catch(() => {}));
	try {
		await run(tab, request, (text) => send(socket, { text }));
		send(socket, { status: 0 });
	} catch ({ message }) {
		send(socket, { error: message, status: 1 });
	}
	await tab.close().catch(() => {});
	socket.end();
}

// Serves calls in the working directory until process OWNER ends. A call is
// run(tab, request, say), where say(text) sends a line of its output.
function serve(owner, run) {
	const start = startOf(owner), browser = new Browser(process.cwd());
	const server = createServer((socket) => {
		send(socket, {});
		readLines(socket).once('line', (line) => {
			const request = JSON.parse(line);
			if (!request.isEnd)
				answer(browser, request, run, socket);
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
	rmSync(name, { force: true });
	server.listen(name, () => process.stdout.write('ready\n'));
}

// Returns a connection to a server whose browser runs.
function connected() {
	const socket = connect(name);
	const lines = readLines(socket);

	return new Promise((done, failed) => {
		lines.once('line', () => done({ socket, lines }));
		socket.on('close', () => failed(new Error('the browser has ended')));
	});
}

// Starts a server that ends with process OWNER, and waits until it listens.
function started(owner) {
	const child = spawn(process.execPath,
		[require.resolve('./browse.js'), '--serve', owner],
		{ detached: true, stdio: ['ignore', 'pipe', 'ignore'] });

	return new Promise((done, failed) => {
		child.on('exit', () => failed(new Error('the browser cannot start')));
		child.stdout.on('data', done);
	}).finally(() => {
		child.unref();
		child.stdout.destroy();
	});
}

// Sends a request to the server of FOLDER, which ends with process OWNER, and prints
// the answers.
async function call(folder, owner, request) {
	let server, hasEnded = false;
	const fail = (why) => {
		if (hasEnded)
			return;
		hasEnded = true;
		console.error(why);
		process.exitCode = 1;
		server?.socket.destroy();
	};

	process.on('SIGTERM', () => fail('ended'));
	setTimeout(() => fail('it takes too long'), 120000).unref();
	process.chdir(folder);
	try {
		server = await connected().catch(() => started(owner).then(connected));
	} catch ({ message }) {
		fail(message);
		return;
	}
	server.socket.on('close', () => fail('the browser has ended'));
	server.lines.on('line', (line) => {
		const { text, error, status } = JSON.parse(line);

		if (text !== undefined)
			console.log(text);
		if (error !== undefined)
			console.error(error);
		if (status !== undefined) {
			hasEnded = true;
			process.exitCode = status;
		}
	});
	send(server.socket, request);
}

// Ends the server of FOLDER, if there is one, and waits until Chromium has ended.
async function end(folder) {
	process.chdir(folder);
	const server = await connected().catch(() => {});
	if (server)
		send(server.socket, { isEnd: true });
}

module.exports = { serve, call, end };
