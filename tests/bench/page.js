// SPDX-License-Identifier: GPL-2.0-or-later
// Measures a page of dwell export --format html in headless Chromium:
//
//	node page.js FILE
//
// Prints a line per action: its name, the number of runs, and the median and
// maximum CPU time of the page's main thread in milliseconds. The time includes
// script, layout and drawing, independent of other load. Also measured: the wall time
// from a key press or another change to the painted frame ("painted", the median), and
// the wall time of loading in 20 new browsers, to the first frame with the recording.
'use strict';

const { resolve } = require('path');
const { Browser, Tab } = require('../cli/browser.js');

class Measured extends Tab {
	async cpu() {
		const { metrics } = await this.send('Performance.getMetrics');

		return 1000 * metrics.find(({ name }) =>
			name === 'TaskDuration').value;
	}

	// Runs STEP(i) N times.
	async measure(name, n, step) {
		const took = [], painted = [];

		for (let i = 0; i < n; i++) {
			const before = await this.cpu();
			painted.push(await step(i));
			await this.settle();
			took.push(await this.cpu() - before);
		}
		took.sort((a, b) => a - b);
		painted.sort((a, b) => a - b);
		console.log(`${name.padEnd(24)} ${String(n).padStart(3)} ${
			took[n >> 1].toFixed(1).padStart(8)} ${
			took[n - 1].toFixed(1).padStart(8)} ${(painted[n >> 1]
			?.toFixed?.(1) ?? '').padStart(8)}`);
	}

	// Runs EXPRESSION in the page, and returns the wall time in ms until the frame
	// that shows its effect is painted.
	paint(expression) {
		return this.run(`new Promise((done) => {
			const start = performance.now();
			${expression};
			requestAnimationFrame(() => {
				const { port1, port2 } = new MessageChannel();
				port1.onmessage = () => done(performance.now() - start);
				port2.postMessage(0);
			});
		})`);
	}

	// Returns the number of frames of the page's largest tree.
	async frames() {
		const { result } = await this.send('Runtime.evaluate',
			{ expression: 'Tree.prototype' });
		const { objects } = await this.send('Runtime.queryObjects',
			{ prototypeObjectId: result.objectId });
		const answer = await this.send('Runtime.callFunctionOn',
			{ objectId: objects.objectId, returnByValue: true,
				functionDeclaration: `function () {
					return Math.max(...this.map((tree) => tree.n));
				}` });
		return answer.result.value;
	}

	async set(selector, type, value) {
		await this.run(`{
			const field = document.querySelector('${selector}');
			field.value = '${value}';
			field.dispatchEvent(new Event('${type}', { bubbles: true }));
		}`);
	}

	key(key, code) {
		return this.send('Input.dispatchKeyEvent', { type: 'keyDown', key,
			windowsVirtualKeyCode: code });
	}

	hover(x, y) {
		return this.send('Input.dispatchMouseEvent',
			{ type: 'mouseMoved', x, y });
	}
}

async function measureFlame(b) {
	const { left, top, width, height } = await b.area('.frames');

	await b.measure('nothing', 5, () => {});
	await b.measure('hover', 20, (i) => b.hover(left + width * i / 20,
		top + height / 2 + 19 * (i % 8)));
	await b.measure('scroll', 10, (i) => b.run(
		`document.querySelector('.frames').scrollTop = ${i * 60}`));
	await b.run('document.querySelector("#flame").focus()');
	await b.measure('arrow key', 10,
		(i) => b.key(i % 5 ? 'ArrowUp' : 'ArrowRight', i % 5 ? 38 : 39));
	await b.measure('zoom', 10, (i) => b.key(i % 2 ? 'Escape' : 'Enter',
		i % 2 ? 27 : 13));
	for (const [id, values] of [['shape', ['icicle', 'flame']],
		['colour', ['heat', 'dso']]])
		await b.measure(id, 4,
			(i) => b.set(`#${id}`, 'change', values[i % 2]));
	await b.measure('merge recursion', 4,
		() => b.run('document.querySelector("#merge").click()'));
	await b.measure('resize', 6, (i) => b.send(
		'Emulation.setDeviceMetricsOverride', { width: 1200 + i * 30,
			height: 1000, deviceScaleFactor: 1, mobile: false }));
}

// The state of the page that the user changes by a key or a click.
function setState(changes) {
	return `page.state.set(${JSON.stringify(changes)})`;
}

async function measureRest(b) {
	await b.measure('search', 20, (i) => b.paint(
		setState({ search: 'operator'.slice(0, 1 + i % 8) })));
	await b.run(setState({ search: '' }));
	await b.measure('time range', 20, (i) => b.paint(`{
		const { slices } = page.data.time;
		page.state.set({ from: Math.floor(slices * ${i} / 40),
			to: Math.floor(slices * ${i + 10} / 40) });
	}`));
	await b.run(setState({ from: '', to: '' }));
	await b.measure('thread', 20, (i) => b.paint(`{
		const { pid, tid } = page.data.tasks[${i} % page.data.tasks.length];
		page.state.set({ thread: pid + '.' + tid });
	}`));
	await b.run(setState({ thread: '' }));
	for (const kind of ['f', 'm', 'd', 'r'])
		await b.measure(`transform ${kind}`, 20, (i) => b.paint(
			`page.state.set({ transforms: '${kind}' +
				page.table.rows[${i} % page.table.rows.length].fn })`));
	await b.run(setState({ transforms: '' }));
	await b.measure('hide glue', 20, (i) => b.paint(
		setState({ transforms: i % 2 ? '' : 'g' })));
	for (const tab of ['tree', 'inverted', 'functions', 'chart', 'flame'])
		await b.measure(`tab ${tab}`, 5, async () => {
			await b.run(setState({ tab: 'functions' }));
			await b.settle();
			return b.paint(setState({ tab }));
		});
	const { left, top, width } = await b.area('#overview');
	await b.mouse('mousePressed', left + 0.2 * width, top + 20);
	await b.measure('brush, a step', 10, (i) => b.mouse('mouseMoved',
		left + (0.3 + i / 20) * width, top + 20));
	await b.mouse('mouseReleased', left + 0.75 * width, top + 20);
	await b.settle();
	await b.run('document.querySelector("#all-time").click()');
	await b.measure('a function', 6, (i) => b.paint(
		`page.choose(page.table.rows[${i}].fn)`));
	await b.measure('sort', 4, (i) => b.run(`document.querySelector(
		'#functions th:nth-child(${i % 2 + 1}) button').click()`));
	await b.measure('light or dark', 4,
		() => b.run('document.querySelector("#theme").click()'));
}

// Sets firstPicture to the time from the start of loading until the first frame with
// the recording is painted: the page is hidden until its data is read.
const noteFirstPicture = `addEventListener('DOMContentLoaded', () => {
	new MutationObserver((_, observer) => {
		observer.disconnect();
		requestAnimationFrame(() => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = () => {
				window.firstPicture = performance.now();
			};
			port2.postMessage(0);
		});
	}).observe(document.getElementById('page'), { attributes: true });
});`;

// Loads FILE, and returns the CPU time and the wall time in ms.
async function load(b, file) {
	await b.attach();
	await b.send('Performance.enable', { timeDomain: 'threadTicks' });
	await b.send('Page.addScriptToEvaluateOnNewDocument',
		{ source: noteFirstPicture });
	await b.open(`file://${resolve(file)}`);
	await b.settle();
	return [await b.cpu(), await b.run('firstPicture')];
}

// Calls STEP() with a page of a new browser.
async function withBrowser(step) {
	const browser = new Browser();

	return step(new Measured(browser)).catch((error) => {
		console.error(error.stack);
		process.exitCode = 1;
	}).finally(() => browser.end());
}

async function measure(file) {
	const loads = [], n = 20;

	for (let i = 0; i < n; i++)
		loads.push(await withBrowser((b) => load(b, file)));
	['CPU time', 'wall time'].forEach((what, i) => {
		const took = loads.map((each) => each[i]).sort((a, b) => a - b);
		console.log(`load, ${what}: ${[took[0], took[n >> 1], took[n - 1]].map(
			(ms) => ms.toFixed(0)).join(', ')} ms (least, median, most)`);
	});
	await withBrowser(async (b) => {
		await load(b, file);
		console.log(`${await b.frames()} frames`);
		await measureFlame(b);
		await measureRest(b);
	});
}

measure(process.argv[2]);
