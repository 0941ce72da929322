// SPDX-License-Identifier: GPL-2.0-or-later
// Functions for canvases with a time axis: drawing, and dragging of time ranges.

// Returns the horizontal position of the mouse on CANVAS, from 0 to 1.
function placeOn(canvas, event) {
	const { left, width } = canvas.getBoundingClientRect();

	return Math.min(1, Math.max(0, (event.clientX - left) / width));
}

// Calls OPTIONS.drag(from, to, isDone) with positions from 0 to 1 while a range is
// dragged on CANVAS, and OPTIONS.click(event) if the mouse has not moved.
function onDrag(canvas, options) {
	let from = null;
	const isFar = (event) => Math.abs(placeOn(canvas, event) - from) *
		canvas.clientWidth > 3;

	canvas.addEventListener('pointerdown', (event) => {
		if (event.button)
			return;
		from = placeOn(canvas, event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', (event) => {
		if (from !== null && isFar(event))
			options.drag(from, placeOn(canvas, event), false);
	});
	canvas.addEventListener('pointercancel', () => {
		from = null;
	});
	canvas.addEventListener('pointerup', (event) => {
		if (from === null)
			return;
		if (isFar(event))
			options.drag(from, placeOn(canvas, event), true);
		else
			options.click(event);
		from = null;
	});
}

// Calls TURN(event, change) when the wheel turns on CANVAS with Ctrl, also by a pinch of
// a touchpad. CHANGE is the binary logarithm of the factor of the visible part.
function onZoomWheel(canvas, turn) {
	canvas.addEventListener('wheel', (event) => {
		const { deltaY, deltaMode } = event;

		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		turn(event, Math.max(-1, Math.min(1, deltaY / (deltaMode ? 6 : 200))));
	}, { passive: false });
}

// Two veils, which cover the parts of PLOT before and after the selected time
// range.
class Veils {
	constructor(plot) {
		this.all = ['before', 'after'].map((place) =>
			element('div', undefined, { class: `veil ${place}` }));
		plot.append(...this.all);
	}

	// Covers PLOT, which shows the view of AXIS, outside RANGE, which is in slices.
	// RANGE null removes the veils.
	show(range, axis) {
		const shares = range ? [axis.shareOf(range.from),
			1 - axis.shareOf(range.to)] : [0, 0];

		this.all.forEach((veil, i) => {
			veil.hidden = shares[i] <= 0;
			veil.style.width = `${100 * Math.min(1, shares[i])}%`;
		});
	}
}

function penOf(canvas, width, height) {
	const ratio = devicePixelRatio || 1;

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const pen = canvas.getContext('2d');
	pen.scale(ratio, ratio);
	return pen;
}

function themeColour(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(`--${name}`).trim();
}
