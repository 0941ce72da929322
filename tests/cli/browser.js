// SPDX-License-Identifier: GPL-2.0-or-later
// Headless Chromium and one of its pages, for browse.js and tests/bench/page.js.
//
// A Browser is a process of Chromium. A Tab is a page with a browser context of
// its own: it shares no window, preference or stored data with other tabs.
'use strict';

const { spawn } = require('child_process');
const { mkdtempSync, rmSync } = require('fs');
const { tmpdir } = require('os');
const { join } = require('path');

const chromium = process.env.CHROMIUM || 'chromium';
// The page of a window of this size has 1400 x 857 pixels: the headless shell has no bars
// above it. The features are pages of
// Chromium's address bar and a process in reserve, which each new window would start, and
// the pages that a tab has left: without them, its process serves its next page.
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
	'--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync', '--disable-extensions',
	'--host-resolver-rules=MAP * ~NOTFOUND',
	`--window-size=1400,${chromium.endsWith('-shell') ? 857 : 944}`,
	'--disable-features=WebUIOmniboxAimPopup,WebUIOmniboxPopup,' +
		'WebUIOmniboxFullPopup,SpareRendererForSitePerProcess,BackForwardCache',
	'--no-startup-window', '--remote-debugging-pipe'];

class Browser {
	// Chromium's own files are in a new folder in PARENT until it ends. Chromium
	// also ends when this process does, because it then reads the end of its pipe.
	constructor(parent = tmpdir()) {
		this.folder = mkdtempSync(join(parent, 'browse.'));
		this.waiting = new Map();
		this.tabs = new Map();
		this.next = 1;
		this.child = spawn(chromium,
			[...flags, `--user-data-dir=${this.folder}`],
			{ detached: true,
				stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.ended = new Promise((done) => {
			this.child.on('exit', () => this.fail('the browser has ended', done));
			this.child.on('error', (error) => this.fail(
				`the browser cannot start: ${error.message}`, done));
		});
		// A write fails if the browser has just ended.
		this.child.stdio[3]?.on('error', () => {});
		let rest = '';
		this.child.stdio[4]?.setEncoding('utf8');
		this.child.stdio[4]?.on('data', (data) => {
			const parts = (rest + data).split('\0');
			rest = parts.pop();
			for (const part of parts)
				this.take(JSON.parse(part));
		});
	}

	// Ends what is left of the browser, and removes its folder.
	fail(why, done) {
		this.over = why;
		this.kill();
		for (const { failed } of this.waiting.values())
			failed(new Error(why));
		this.waiting.clear();
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 20,
			retryDelay: 50 });
		done();
	}

	take({ id, method, params, result, error, sessionId }) {
		const call = this.waiting.get(id);

		this.waiting.delete(id);
		if (!call)
			this.tabs.get(sessionId)?.take(method, params);
		else if (error)
			call.failed(new Error(`${call.method}: ${error.message}`));
		else
			call.done(result);
	}

	send(method, params = {}, sessionId = undefined) {
		const id = this.next++;

		if (this.over)
			return Promise.reject(new Error(this.over));
		this.child.stdio[3].write(JSON.stringify(
			{ id, method, params, sessionId }) + '\0');
		return new Promise((done, failed) =>
			this.waiting.set(id, { method, done, failed }));
	}

	// Kills Chromium's processes, which are a process group.
	kill() {
		try {
			process.kill(-this.child.pid, 'SIGKILL');
		} catch {
			// They have ended.
		}
	}

	// Ends the browser, by force if it does not end by itself.
	async end() {
		this.isEnding = true;
		const force = setTimeout(() => this.kill(), 5000);

		this.send('Browser.close').catch(() => {});
		await this.ended;
		clearTimeout(force);
	}
}

class Tab {
	constructor(browser) {
		this.browser = browser;
		this.faults = [];
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	async attach() {
		const { browserContextId } = await this.browser.send(
			'Target.createBrowserContext');
		this.context = browserContextId;
		const { targetId } = await this.browser.send('Target.createTarget',
			{ url: 'about:blank', browserContextId, background: true });
		const { sessionId } = await this.browser.send('Target.attachToTarget',
			{ targetId, flatten: true });

		this.session = sessionId;
		this.browser.tabs.set(sessionId, this);
		for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
			await this.send(`${domain}.enable`);
	}

	// Leaves the page, and the state that the next page would have otherwise.
	async reset() {
		await this.mouse('mouseMoved', -1, -1);
		await this.send('Emulation.setEmulatedMedia', { features: [] });
		await this.send('Emulation.clearDeviceMetricsOverride');
		await this.send('Emulation.setTouchEmulationEnabled', { enabled: false });
		await this.send('Accessibility.disable');
		await this.send('Page.navigate', { url: 'about:blank' });
		this.faults = [];
	}

	async close() {
		if (this.isClosed)
			return;
		this.isClosed = true;
		this.browser.tabs.delete(this.session);
		await this.browser.send('Target.disposeBrowserContext',
			{ browserContextId: this.context });
	}

	take(method, params) {
		if (method === 'Runtime.exceptionThrown')
			this.faults.push(params.exceptionDetails.exception?.description);
		else if (method === 'Log.entryAdded')
			this.faults.push(params.entry.text);
		else if (method === 'Page.javascriptDialogOpening')
			this.faults.push(`a dialog: ${params.message}`);
		else if (method === 'Network.requestWillBeSent' &&
			!/^(file|data|blob|about):/.test(params.request.url))
			this.faults.push(`it asks for ${params.request.url}`);
	}

	async open(address) {
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
			if (this.browser.over || this.isClosed)
				throw new Error(this.browser.over || 'the page is closed');
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
}

module.exports = { Browser, Tab };
