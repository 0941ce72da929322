// SPDX-License-Identifier: GPL-2.0-or-later
// Formats numbers, and makes elements. Names are only put into text nodes, never
// parsed as HTML.

const grouped = new Intl.NumberFormat('en-US');

function countText(n) {
	return grouped.format(Math.round(n));
}

function countOf(n, what) {
	return `${countText(n)} ${what}${n === 1 ? '' : 's'}`;
}

// Formats VALUE with DIGITS digits behind the point, as printf() of the other reports
// does: of two texts that are equally near, the one with the even last digit. toFixed()
// returns the larger one.
function fixedText(value, digits) {
	const text = value.toFixed(digits);
	// A half of the last digit is a binary number only if it is an odd multiple of
	// this power of two.
	const isHalf = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;

	return isHalf && Number(text.at(-1)) % 2
		? (value - Math.sign(value) / (4 * 10 ** digits)).toFixed(digits)
		: text;
}

// The double that is rounded must be that of dwell report: 100 * PART / WHOLE.
function percentText(part, whole) {
	return `${fixedText(whole ? 100 * part / whole : 0, 2)} %`;
}

const timeUnits = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

function timeText(ns) {
	// 999.5 ms would be shown as "1000 ms".
	const [size, unit] = timeUnits.find(([least]) => ns >= 0.9995 * least) ||
		timeUnits[3];
	const value = ns / size;

	return `${fixedText(value, value < 10 && size > 1 ? 2 : value < 100 &&
		size > 1 ? 1 : 0)} ${unit}`;
}

// Formats NS as seconds, with as many digits as a step of STEP ns needs.
function secondsText(ns, step) {
	const most = Math.min(9, Math.max(1, 1 + Math.ceil(9 - Math.log10(step))));
	let digits = 0;

	while (digits < most && step % 10 ** (9 - digits))
		digits++;
	return (ns / 1e9).toFixed(digits);
}

// Returns the name of a function as dwell report shows it.
function fullName({ name, isInlined }) {
	return isInlined ? `${name} (inlined)` : name;
}

// Returns the note on a function that has no symbol, or "".
function guessText({ isGuessed }) {
	return isGuessed ? 'no symbol: the extent is by the unwind rules, and the name is made up'
		: '';
}

// Returns the part of a path behind its last '/'.
function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}

// Cuts the middle of TEXT to N letters.
function shortText(text, n) {
	return text.length > n ? `${text.slice(0, Math.ceil(n / 2))}…${
		text.slice(1 - Math.floor(n / 2))}` : text;
}

function weightText(weight, event) {
	return event.unit === 'ns' ? timeText(weight) : countText(weight);
}

function element(name, text, attributes) {
	const made = document.createElement(name);

	if (text !== undefined)
		made.textContent = text;
	for (const [key, value] of Object.entries(attributes || {}))
		made.setAttribute(key, value);
	return made;
}

// Returns elements with TEXTS, separated by BETWEEN. Each text is isolated in its
// own writing direction, so that right-to-left text does not move the other texts.
function isolated(texts, between) {
	return texts.flatMap((text, i) => i
		? [between, element('bdi', text)] : [element('bdi', text)]);
}

// Replaces the children of PARENT with MADE. If a button in PARENT has the focus, a
// new button with the same text gets the focus.
function replaceIn(parent, made) {
	const had = document.activeElement;
	const buttons = () => Array.from(parent.querySelectorAll('button'));
	const isSame = (button) => button?.textContent === had.textContent;
	const at = parent.contains(had) ? buttons().indexOf(had) : -1;

	parent.replaceChildren(...made);
	if (at < 0)
		return;
	const now = buttons();
	(isSame(now[at]) ? now[at] : now.find(isSame))
		?.focus({ preventScroll: true });
}

// Makes CHILDREN the children of PARENT. CHILDREN can already be in PARENT: only
// children whose position changes are moved.
function arrangeIn(parent, children) {
	const had = document.activeElement, isWanted = new Set(children);

	for (const child of Array.from(parent.children))
		if (!isWanted.has(child))
			child.remove();
	let at = parent.firstElementChild;
	for (const child of children)
		if (child === at)
			at = at.nextElementSibling;
		else
			parent.insertBefore(child, at);
	if (parent.contains(had))
		had.focus({ preventScroll: true });
}

const turns = [];

// Calls READ() of all callers after all changes of the page, and then WRITE() of
// all callers, so that the browser computes the layout only once.
function inTurn(read, write) {
	if (!turns.length)
		queueMicrotask(() => {
			const all = turns.splice(0);
			for (const turn of all)
				turn.read();
			for (const turn of all)
				turn.write();
		});
	turns.push({ read, write });
}

// Copies TEXT to the clipboard, also from a file in browsers that have the modern
// interface only for pages of a server.
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const had = document.activeElement;
		const box = element('textarea', text, { class: 'unseen' });

		document.body.append(box);
		box.select();
		document.execCommand('copy');
		box.remove();
		had?.focus({ preventScroll: true });
	}
}

function byId(id) {
	return document.getElementById(id);
}
