// SPDX-License-Identifier: GPL-2.0-or-later
// The script of a picture of dwell export --format svg. A click on a frame zooms to
// it, and Escape or a click on the outermost frame shows the whole graph. "/" or a
// click on "search" asks for a part of a function name or a /regular expression/;
// the text at the right is then the share of the samples whose stack contains such a
// function.
'use strict';

// Positions and widths in % are rounded to 4 decimals.
const near = 2e-4;

// The title of a frame is "NAME [DSO]: 12.34 %, 5 samples", without DSO for commands.
// The name of a DSO can be in brackets, too: "[kernel.kallsyms]".
const nameOf = (frame) => frame.querySelector('title').textContent
	.replace(/: [0-9.]+ %, [^:]*$/, '')
	.replace(/ \[(\[[^\]]*\]|[^\]]*)\]$/, '');

// The box of frames that are too narrow to draw has no name, and is not found.
// The graph of each event: the text of its search, and its frames.
const graphs = [...document.querySelectorAll('.q')].map((found) => {
	const frames = [...found.previousElementSibling.children].map((at) => ({
		at, name: at.classList.contains('narrow') ? '' : nameOf(at),
		x: parseFloat(at.getAttribute('x')),
		y: Number(at.getAttribute('y')),
		w: parseFloat(at.getAttribute('width')) }));

	return { found, frames };
});

// Returns whether the frame or range INNER is within OUTER from left to right.
const isWithin = (inner, outer) => inner.x >= outer.x - near &&
	inner.x + inner.w <= outer.x + outer.w + near;

// Narrow frames have no text before they are zoomed to.
function addText({ at, name }) {
	if (!name || at.querySelector('text'))
		return;
	const text = document.createElementNS(at.namespaceURI, 'text');

	text.setAttribute('x', 3);
	text.setAttribute('y', 11);
	text.textContent = name;
	at.append(text);
}

// Shows frame TO at the full width, with its callees above it and its callers below.
function zoom(frames, to) {
	for (const frame of frames) {
		const { at, x, y, w } = frame;
		const isIn = y <= to.y && isWithin(frame, to);
		const isCaller = y > to.y && isWithin(to, frame);

		at.style.display = isIn || isCaller ? '' : 'none';
		at.classList.toggle('above', isCaller);
		at.setAttribute('x', `${isIn ? (x - to.x) / to.w * 100 : 0}%`);
		at.setAttribute('width', `${isIn ? w / to.w * 100 : 100}%`);
		if (isIn || isCaller)
			addText(frame);
	}
}

function zoomOut() {
	for (const { frames } of graphs)
		zoom(frames, { x: 0, y: frames[0].y, w: 100 });
}

// Returns the function that tests names for WANTED. Throws a SyntaxError.
function testOf(wanted) {
	if (!/^\/.+\/$/.test(wanted))
		return (name) => wanted !== '' && name.includes(wanted);
	const pattern = new RegExp(wanted.slice(1, -1));

	return (name) => pattern.test(name);
}

function search(wanted) {
	const has = testOf(wanted);

	for (const { found, frames } of graphs) {
		// A frame above a found frame has the same samples.
		const outermost = [];

		for (const frame of [...frames].sort((a, b) => b.y - a.y)) {
			const isFound = has(frame.name);

			frame.at.classList.toggle('found', isFound);
			if (isFound && !outermost.some((at) => isWithin(frame, at)))
				outermost.push(frame);
		}
		const sum = outermost.reduce((all, { w }) => all + w, 0);

		found.textContent = wanted === '' ? 'search (/) \u00a0'
			: `${wanted}: ${sum.toFixed(2)} % \u00a0`;
	}
}

function ask() {
	const wanted = prompt('Part of a function name, or /regular expression/');

	try {
		if (wanted !== null)
			search(wanted);
	} catch {
		alert(`${wanted} is not a regular expression`);
	}
}

for (const { found, frames } of graphs) {
	found.addEventListener('click', ask);
	for (const frame of frames)
		frame.at.addEventListener('click', () => zoom(frames, frame));
}
addEventListener('keydown', (event) => {
	if (event.key === 'Escape') {
		zoomOut();
		search('');
	} else if (event.key === '/') {
		event.preventDefault();
		ask();
	}
});
search('');
scrollTo(0, document.documentElement.scrollHeight);
