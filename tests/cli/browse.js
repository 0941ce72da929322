// SPDX-License-Identifier: GPL-2.0-or-later
// Controls a page in headless Chromium with a mouse and a keyboard, for tests:
//
//	node browse.js FILE[#STATE] COMMAND...
//	node browse.js --serve PID
//
// With --serve, a browser runs for many calls by browse() of common.bash, until process
// PID ends (shared.js). Each call loads its page anew, in the tab of the last call.
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
//	similar		colours of frames, lanes and differences that are too similar,
//			also for people who are colour-blind (vision.js)
//	click SELECTOR	a click in the middle of the element
//	ctrl SELECTOR	a click there with the Ctrl key
//	at X Y SELECTOR	a click at X (0 to 1) of its width, Y pixels above its end
//	twice X Y SELECTOR	a double click there
//	menu X Y SELECTOR	a click with the right button there
//	over X Y SELECTOR	moves the mouse there
//	turn TURN X Y SELECTOR	turns the wheel there by TURN pixels, with Ctrl
//	scroll TURN X Y SELECTOR	the same without Ctrl
//	tap COUNT X Y SELECTOR	COUNT taps on a touch screen there
//	drag FROM TO SELECTOR	drags from X to X, at half of its height
//	back		the browser's back button
//	type TEXT	types TEXT into the focused element
//	paste		pastes the clipboard into the focused element
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

const { writeFileSync } = require('fs');
const { resolve } = require('path');
const { Browser, Tab } = require('./browser.js');
const { lowContrasts } = require('./contrast.js');
const shared = require('./shared.js');
const { similarColours } = require('./vision.js');

const toldRoles = ['application', 'button', 'checkbox', 'combobox',
	'DisclosureTriangle', 'image', 'list', 'navigation', 'region', 'searchbox',
	'spinbutton', 'status', 'tab', 'table', 'tree'];

async function roles(tab) {
	await tab.send('Accessibility.enable');
	const { nodes } = await tab.send('Accessibility.getFullAXTree');

	return nodes.filter(({ ignored, role }) => !ignored &&
		toldRoles.includes(role.value))
		.map(({ role, name }) => `${role.value}: ${name.value}`).join('\n');
}

const quoted = JSON.stringify;
const codes = { Enter: 13, Escape: 27, ' ': 32, ArrowLeft: 37, ArrowUp: 38,
	ArrowRight: 39, ArrowDown: 40, Home: 36, Tab: 9, '/': 191 };

async function wheel(b, modifiers, deltaY, x, y, selector) {
	const { left, top, width, height } = await b.area(selector);

	await b.send('Input.dispatchMouseEvent', { type: 'mouseWheel', modifiers,
		x: left + x * width, y: top + height - y, deltaX: 0,
		deltaY: Number(deltaY) });
}

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
	similar: async (b) => similarColours(...await b.run(`[page.colours.palette,
		['lane', 'runnable', 'blocked', 'preempted'].map((name) =>
			[name, themeColour(name)])]`)).join('\n'),
	click: async (b, selector) => {
		const { left, top, width, height } = await b.area(selector);
		await b.press(left + width / 2, top + height / 2);
	},
	ctrl: async (b, selector) => {
		const { left, top, width, height } = await b.area(selector);
		for (const type of ['mousePressed', 'mouseReleased'])
			await b.send('Input.dispatchMouseEvent', { type, button: 'left',
				modifiers: 2, clickCount: 1, x: left + width / 2,
				y: top + height / 2 });
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
	turn: (b, ...words) => wheel(b, 2, ...words),
	scroll: (b, ...words) => wheel(b, 0, ...words),
	tap: async (b, count, x, y, selector) => {
		const { left, top, width, height } = await b.area(selector);
		await b.send('Emulation.setTouchEmulationEnabled', { enabled: true });
		for (let i = 0; i < count; i++) {
			await b.send('Input.dispatchTouchEvent', { type: 'touchStart',
				touchPoints: [{ x: left + x * width, y: top + height - y }] });
			await b.send('Input.dispatchTouchEvent',
				{ type: 'touchEnd', touchPoints: [] });
		}
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
	paste: (b) => b.send('Input.dispatchKeyEvent',
		{ type: 'keyDown', commands: ['paste'] }),
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
	shot: async (b, file) => writeFileSync(resolve(b.folder, file), Buffer.from(
		(await b.send('Page.captureScreenshot')).data, 'base64')),
};
// Commands that do not change the page. An expression may change it.
const reading = ['text', 'cells', 'rows', 'value', 'attribute', 'count', 'state',
	'colour', 'roles', 'contrasts', 'similar'];
const asking = ['ask', ...reading];
// The number of words before the last one, which may contain blanks.
const counts = { attribute: 1, at: 2, twice: 2, menu: 2, over: 2, turn: 3, scroll: 3, tap: 3,
	drag: 2, choose: 1, size: 1, colour: 2 };

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

// Opens FILE[#STATE] of FOLDER in TAB and runs commands there. Calls say(text) for
// each line of output. Throws if a command fails or the page has faults.
async function run(tab, { folder, file, lines }, say) {
	const [path, state] = file.split(/#(.*)/s);

	tab.folder = folder;
	if (tab.session)
		await tab.reset();
	else
		await tab.attach();
	await tab.open(`file://${resolve(folder, path)}#${state || ''}`);
	// A click on an element that is not drawn yet has no effect.
	await tab.settle();
	for (const line of lines) {
		const [name, words] = take(line);
		if (!commands[name])
			throw new Error(`there is no command ${name}`);
		const result = await commands[name](tab, ...words);
		if (!reading.includes(name))
			await tab.settle();
		if (asking.includes(name))
			say(String(result));
	}
	await tab.settle();
	if (tab.faults.length)
		throw new Error(tab.faults.join('\n'));
}

// Runs the commands in a browser that ends with them.
async function runAlone(file, lines) {
	const browser = new Browser();
	const fail = (why) => {
		if (!browser.isEnding)
			console.error(why);
		process.exitCode = 1;
		return browser.end();
	};

	process.on('SIGTERM', () => fail('ended'));
	setTimeout(() => fail('it takes too long'), 120000).unref();
	await run(new Tab(browser), { folder: process.cwd(), file, lines }, console.log)
		.then(() => browser.end(), ({ message }) => fail(message));
}

function main([first, ...words]) {
	return first === '--serve' ? shared.serve(words[0], run) : runAlone(first, words);
}

main(process.argv.slice(2));
