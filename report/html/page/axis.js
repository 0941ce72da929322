// SPDX-License-Identifier: GPL-2.0-or-later
// The axis of time that all panels share: the whole recording, or the part of it that
// the user has zoomed into. Times are in slices from the start, the finest steps of
// the data, and converted to ns for texts.

class TimeAxis {
	constructor(data, state) {
		this.time = data.time;
		this.state = state;
	}

	get isThere() {
		return this.time.slice > 0;
	}

	// Returns whether each sample has its own time.
	get isExact() {
		return this.time.slice < this.time.bin;
	}

	// Returns the visible slices: .from, and .to behind the last one.
	get view() {
		const { slices } = this.time;
		const words = /^(\d+)-(\d+)$/.exec(this.state.get('view'));
		const [from, to] = words ? [Number(words[1]), Number(words[2])] : [];

		return to > from && to <= slices ? { from, to }
			: { from: 0, to: slices };
	}

	get isZoomed() {
		const { from, to } = this.view;

		return from > 0 || to < this.time.slices;
	}

	// Returns the length of the view in ns.
	get length() {
		const { from, to } = this.view;

		return (to - from) * this.time.slice;
	}

	// Returns the position of a slice in the view, from 0 to 1.
	shareOf(slice) {
		const { from, to } = this.view;

		return (slice - from) / (to - from);
	}

	// Returns the slice at the position SHARE of the view; not rounded.
	sliceAt(share) {
		const { from, to } = this.view;

		return from + share * (to - from);
	}

	// Returns the slice at NS; not rounded.
	sliceOf(ns) {
		return ns / this.time.slice;
	}

	// Returns a slice as text in seconds, with the digits that the view needs.
	text(slice, step = this.length / 2000) {
		const { slice: least } = this.time;
		const digits = Math.ceil(9 - Math.log10(Math.max(step, least)));

		return (slice * least / 1e9)
			.toFixed(Math.min(9, Math.max(1, digits)));
	}

	// Returns the exact time of a slice in seconds, without zeros at its end.
	exactText(slice) {
		return (slice * this.time.slice / 1e9).toFixed(9)
			.replace(/(\.\d+?)0+$/, '$1');
	}

	// Draws the axis at TOP of the canvas of PEN.
	draw(pen, width, top) {
		const { length } = this, start = this.view.from * this.time.slice;
		const rough = length / Math.max(2, width / 110);
		const power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((n) => n * power)
			.find((n) => n >= rough);

		pen.fillStyle = themeColour('line');
		pen.fillRect(0, top, width, 1);
		pen.textBaseline = 'top';
		for (let at = Math.ceil(start / step) * step;
			at < start + length; at += step) {
			const x = (at - start) / length * width;
			pen.fillStyle = themeColour('line');
			pen.fillRect(x, top, 1, 4);
			pen.fillStyle = themeColour('faint');
			if (x + 40 < width)
				pen.fillText(`${this.text(at / this.time.slice,
					step)} s`, x + 3, top + 3);
		}
	}
}
