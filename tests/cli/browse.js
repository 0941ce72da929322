// SPDX-License-Identifier: GPL-2.0-or-later
// Controls a page in headless Chromium with a mouse and a keyboard, for tests:
//
//	node browse.js FILE[#STATE] COMMAND...
//
// A command is one word of the shell. Its answer is printed, one line each:
//
//	text SELECTOR	the text of the element, with single blanks
//	cells SELECTOR	the texts of its children
//	rows SELECTOR	the texts of the children of each element, a line each
//	value SELECTOR	the value of a field
//	attribute NAME SELECTOR
//	count SELECTOR	the number of elements
//	colour X Y SELECTOR	the colour of a canvas at X (0 to 1) of its width, Y
//			pixels above its end: red, green, blue
//	state		the address behind the '#'
//	ask EXPRESSION	the value of EXPRESSION in the page
//	roles		the role and name of controls, pictures and regions, as for a
//			screen reader
//	contrasts	texts with too little contrast (contrast.js)
//	click SELECTOR	a click in the middle of the element
//	at X Y SELECTOR	a click at X (0 to 1) of its width, Y pixels above its end
//	twice X Y SELECTOR	a double click there
//	menu X Y SELECTOR	a click with the right button there
//	over X Y SELECTOR	moves the mouse there
//	drag FROM TO SELECTOR	drags from X to X, at half of its height
//	back		the browser's back button
//	type TEXT	types TEXT into the focused element
//	key NAME	"Enter", "ArrowUp", ...
//	choose VALUE SELECTOR	selects VALUE of a select
//	light, dark	the preferred colour scheme
//	size WIDTH HEIGHT
//	shot FILE	writes a PNG
//
// It fails with a message on standard error if the page throws an exception,
// requests anything from the network, violates its own policy, or opens a
// dialog.
'use strict';

const { spawn } = require('child_process');
const { writeFileSync, mkdtempSync, rmSync } = require('fs');
const { tmpdir } = require('os');
const { resolve, join } = require('path');
const { lowContrasts } = require('./contrast.js');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
	'--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync', '--disable-extensions',
	'--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1400,1000',
	'--remote-debugging-pipe'];

class Browser {
	constructor() {
		this.folder = mkdtempSync(join(tmpdir(), 'browse.'));
		this.child = spawn(process.env.CHROMIUM || 'chromium',
			[...flags, `--user-data-dir=${this.folder}`, 'about:blank'],
			{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.child.on('exit', () => this.fail('the browser has ended'));
		this.waiting = new Map();
		this.faults = [];
		this.next = 1;
		let rest = '';
		this.child.stdio[4].on('data', (data) => {
			const parts = (rest + data).split('\0');
			rest = parts.pop();
			for (const part of parts)
				this.take(JSON.parse(part));
		});
	}

	fail(why) {
		if (this.isOver)
			return;
		console.error(why);
		process.exitCode = 1;
		this.end();
	}

	take(message) {
		const { id, method, params, result, error } = message;

		if (id && this.waiting.has(id)) {
			const { done, failed } = this.waiting.get(id);
			this.waiting.delete(id);
			return error ? failed(new Error(error.message)) : done(result);
		}
		if (method === 'Runtime.exceptionThrown')
			this.faults.push(params.exceptionDetails.exception?.description);
		else if (method === 'Log.entryAdded')
			this.faults.push(params.entry.text);
		else if (method === 'Page.javascriptDialogOpening')
			this.faults.push(`a dialog: ${params.message}`);
		else if (method === 'Network.requestWillBeSent' &&
			!/^(file|data|blob|about):/.test(params.request.url))
			this.faults.push(`it asks for ${params.request.url}`);
		else if (method === 'Page.loadEventFired')
			this.isLoaded = true;
		return undefined;
	}

	send(method, params = {}) {
		const id = this.next++;

		this.child.stdio[3].write(JSON.stringify(
			{ id, method, params, sessionId: this.session }) + '\0');
		return new Promise((done, failed) =>
			this.waiting.set(id, { done, failed }));
	}

	async attach() {
		const { targetInfos } = await this.send('Target.getTargets');
		const { targetId } = targetInfos.find(({ type }) => type === 'page');
		const { sessionId } = await this.send('Target.attachToTarget',
			{ targetId, flatten: true });

		this.session = sessionId;
		for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
			await this.send(`${domain}.enable`);
	}

	async open(address) {
		this.isLoaded = false;
		await this.send('Page.navigate', { url: address });
		// A page, or a picture of --format svg.
		await this.until('document.querySelector("#page:not([hidden]), svg:root > .q")');
	}

	async run(expression) {
		const { result, exceptionDetails } = await this.send(
			'Runtime.evaluate', { expression, awaitPromise: true,
				returnByValue: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description);
		return result.value;
	}

	async until(expression) {
		for (let i = 0; i < 600; i++) {
			if (await this.run(expression).catch(() => false))
				return;
			await new Promise((done) => setTimeout(done, 50));
		}
		throw new Error(`it never became true: ${expression}; the page says ${
			await this.run('(document.body || document.documentElement).textContent.slice(0, 200)')}`);
	}

	// Waits until all that the page does by itself is done.
	settle() {
		return this.run(
			`new Promise((done) => requestAnimationFrame(() =>
				requestAnimationFrame(() => setTimeout(done, 30))))`);
	}

	async area(selector) {
		const area = await this.run(`(() => {
			const found = document.querySelector(${JSON.stringify(selector)});
			found.scrollIntoView({ block: 'center', behavior: 'instant' });
			const { left, top, width, height } =
				found.getBoundingClientRect();
			return { left, top, width, height };
		})()`);

		if (!area || !area.width)
			throw new Error(`${selector} isn't to be seen`);
		return area;
	}

	// The page gets the event in one of its next frames, which are drawn
	// only on request. The listener that is added last is called last.
	async prefer(value) {
		await this.run(`{
			const query = matchMedia('(prefers-color-scheme: ${value})');
			globalThis.isTold = query.matches;
			query.onchange = () => { isTold = true; };
			globalThis.preference = query;
		}`);
		await this.send('Emulation.setEmulatedMedia', { features:
			[{ name: 'prefers-color-scheme', value }] });
		await this.until('new Promise((done) => requestAnimationFrame(' +
			'() => done(isTold)))');
	}

	async mouse(type, x, y, clickCount = 1) {
		await this.send('Input.dispatchMouseEvent', { type, x, y, clickCount,
			button: 'left', buttons: type === 'mouseReleased' ? 0 : 1 });
	}

	async press(x, y, clickCount) {
		await this.mouse('mousePressed', x, y, clickCount);
		await this.mouse('mouseReleased', x, y, clickCount);
	}

	// Chromium's other processes may still write for a moment.
	end() {
		this.isOver = true;
		this.child.on('exit', () => rmSync(this.folder, { recursive: true,
			force: true, maxRetries: 20, retryDelay: 50 }));
		this.send('Browser.close');
	}
}

const toldRoles = ['application', 'button', 'checkbox', 'combobox',
	'DisclosureTriangle', 'image', 'list', 'navigation', 'region', 'searchbox',
	'spinbutton', 'status', 'tab', 'table', 'tree'];

async function roles(browser) {
	await browser.send('Accessibility.enable');
	const { nodes } = await browser.send('Accessibility.getFullAXTree');

	return nodes.filter(({ ignored, role }) => !ignored &&
		toldRoles.includes(role.value))
		.map(({ role, name }) => `${role.value}: ${name.value}`).join('\n');
}

const quoted = JSON.stringify;
const codes = { Enter: 13, Escape: 27, ' ': 32, ArrowLeft: 37, ArrowUp: 38,
	ArrowRight: 39, ArrowDown: 40, Home: 36, Tab: 9, '/': 191 };

const commands = {
	text: (b, selector) => b.run(`(document.querySelector(${quoted(selector)})
		?.textContent ?? '(none)').replace(/\\s+/g, ' ').trim()`),
	cells: (b, selector) => b.run(`Array.from(document.querySelector(${
		quoted(selector)})?.children ?? [],
		(cell) => cell.textContent).join(' | ')`),
	rows: (b, selector) => b.run(`Array.from(document.querySelectorAll(${
		quoted(selector)}), (row) => Array.from(row.children,
		(cell) => cell.textContent).join(' | ')).join('\\n')`),
	value: (b, selector) => b.run(
		`document.querySelector(${quoted(selector)}).value`),
	attribute: (b, name, selector) => b.run(`document.querySelector(${
		quoted(selector)}).getAttribute(${quoted(name)})`),
	count: (b, selector) => b.run(
		`document.querySelectorAll(${quoted(selector)}).length`),
	// The page writes it after a delay (writeInterval in
	// report/html/page/state.js).
	state: async (b) => {
		await new Promise((resolve) => setTimeout(resolve, 300));
		return b.run('location.hash');
	},
	ask: (b, expression) => b.run(expression),
	roles,
	contrasts: async (b) => (await b.run(`${lowContrasts}; lowContrasts()`))
		.join('\n'),
	click: async (b, selector) => {
		const { left, top, width, height } = await b.area(selector);
		await b.press(left + width / 2, top + height / 2);
	},
	at: async (b, x, y, selector) => {
		const { left, top, width, height } = await b.area(selector);
		await b.press(left + x * width, top + height - y);
	},
	twice: async (b, x, y, selector) => {
		const { left, top, width, height } = await b.area(selector);
		for (const count of [1, 2])
			await b.press(left + x * width, top + height - y, count);
	},
	menu: async (b, x, y, selector) => {
		const { left, top, width, height } = await b.area(selector);
		for (const type of ['mousePressed', 'mouseReleased'])
			await b.send('Input.dispatchMouseEvent', { type, button: 'right',
				x: left + x * width, y: top + height - y, clickCount: 1 });
	},
	over: async (b, x, y, selector) => {
		const { left, top, width, height } = await b.area(selector);
		await b.mouse('mouseMoved', left + x * width, top + height - y);
	},
	drag: async (b, from, to, selector) => {
		const { left, top, width, height } = await b.area(selector);
		const y = top + height / 2;
		await b.mouse('mousePressed', left + from * width, y);
		for (const part of [0.3, 0.7, 1])
			await b.mouse('mouseMoved',
				left + (from * (1 - part) + to * part) * width, y);
		await b.mouse('mouseReleased', left + to * width, y);
	},
	back: (b) => b.run(`new Promise((done) => {
		addEventListener('hashchange', done, { once: true });
		history.back();
	}).then(() => null)`),
	type: (b, text) => b.send('Input.insertText', { text }),
	key: async (b, name) => {
		const key = { key: name === 'Space' ? ' ' : name };
		key.windowsVirtualKeyCode = codes[key.key];
		if (key.key.length === 1)
			key.text = key.key;
		await b.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
		await b.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
	},
	choose: (b, value, selector) => b.run(`(() => {
		const found = document.querySelector(${quoted(selector)});
		found.value = ${quoted(value)};
		found.dispatchEvent(new Event('change', { bubbles: true }));
	})()`),
	colour: (b, x, y, selector) => b.run(`(() => {
		const found = document.querySelector(${quoted(selector)});
		const { clientWidth, clientHeight, width } = found;
		const ratio = width / clientWidth;
		const pen = new OffscreenCanvas(1, 1).getContext('2d');
		pen.drawImage(found, -Math.round(${x} * width),
			-Math.round((clientHeight - ${y}) * ratio));
		return pen.getImageData(0, 0, 1, 1).data.slice(0, 3).join(' ');
	})()`),
	light: (b) => b.prefer('light'),
	dark: (b) => b.prefer('dark'),
	size: (b, width, height) => b.send('Emulation.setDeviceMetricsOverride',
		{ width: Number(width), height: Number(height),
			deviceScaleFactor: 1, mobile: false }),
	shot: async (b, file) => writeFileSync(file, Buffer.from(
		(await b.send('Page.captureScreenshot')).data, 'base64')),
};
const asking = ['text', 'cells', 'rows', 'value', 'attribute', 'count', 'state',
	'ask', 'colour', 'roles', 'contrasts'];
// The number of words before the last one, which may contain blanks.
const counts = { attribute: 1, at: 2, twice: 2, menu: 2, over: 2, drag: 2, choose: 1, size: 1,
	colour: 2 };

function take(line) {
	const name = line.split(' ', 1)[0], words = [];
	let rest = line.slice(name.length + 1);

	for (let i = 0; i < (counts[name] || 0); i++) {
		const word = rest.split(' ', 1)[0];
		words.push(word);
		rest = rest.slice(word.length + 1);
	}
	return [name, [...words, rest]];
}

async function main(file, lines) {
	const browser = new Browser(), [path, state] = file.split(/#(.*)/s);

	process.on('SIGTERM', () => browser.fail('ended'));
	setTimeout(() => browser.fail('it takes too long'), 120000).unref();
	await run(browser, path, state, lines)
		.catch((error) => browser.fail(error.message));
}

async function run(browser, path, state, lines) {
	await browser.attach();
	await browser.open(`file://${resolve(path)}#${state || ''}`);
	// A click on an element that is not drawn yet has no effect.
	await browser.settle();
	for (const line of lines) {
		const [name, words] = take(line);
		if (!commands[name])
			throw new Error(`there is no command ${name}`);
		const result = await commands[name](browser, ...words);
		await browser.settle();
		if (asking.includes(name))
			console.log(result);
	}
	browser.end();
	for (const fault of browser.faults)
		console.error(fault);
	process.exitCode = browser.faults.length ? 1 : 0;
}

if (require.main === module)
	main(process.argv[2], process.argv.slice(3));

// For tests/bench/page.js.
module.exports = { Browser };
