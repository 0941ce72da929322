// SPDX-License-Identifier: GPL-2.0-or-later
// A heat map with a column per second (or more) and a row per part of a second, which
// shows patterns faster than a second. Two clicks, or a drag, select a range.

const heatRows = 50;
const heatColumns = 160;
const columnLengths = [1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12, 3.6e13, 8.64e13];

class Heatmap {
	constructor(data, state, selection, timeline, tip) {
		Object.assign(this, { data, state, selection, timeline });
		this.canvas = byId('heat');
		tip.follow(this.canvas, (event) => this.tellCell(event));
		this.from = null;
		this.canvas.addEventListener('pointerdown', (event) => {
			if (event.button)
				return;
			this.from = this.timeAt(event);
			this.canvas.setPointerCapture(event.pointerId);
		});
		this.canvas.addEventListener('pointermove', (event) => {
			if (this.from !== null)
				this.choose(event, false);
		});
		this.canvas.addEventListener('pointercancel', () => {
			this.from = null;
		});
		this.canvas.addEventListener('pointerup', (event) => {
			if (this.from !== null)
				this.choose(event, true);
			this.from = null;
		});
		new ResizeObserver(() => this.show()).observe(this.canvas.parentNode);
	}

	// Computes the sizes of a column and of a cell, in time bins.
	measure() {
		const { bin, bins } = this.data.time;
		const length = columnLengths.find((ns) => ns >= bin * 2 &&
			bins * bin / ns <= heatColumns) ??
			columnLengths[columnLengths.length - 1];

		this.column = Math.max(2, Math.round(length / bin));
		this.cell = Math.max(1, Math.ceil(this.column / heatRows));
		this.columns = Math.ceil(bins / this.column);
		this.rows = Math.ceil(this.column / this.cell);
	}

	// Returns the timeline lanes whose samples the heat map counts.
	get lanes() {
		const { threads, event } = this.selection, { summed } = this.timeline;

		return event.lanes.filter((lane) => summed.includes(lane.state) &&
			(!threads || threads.keys.has(lane.thread)));
	}

	count() {
		const cells = new Float64Array(this.columns * this.rows);
		const cellOf = Int32Array.from({ length: this.data.time.bins },
			(_, bin) => Math.floor(bin / this.column) * this.rows +
				Math.floor((bin % this.column) / this.cell));

		for (const lane of this.lanes) {
			const { bins, counts } = lane;
			for (let i = 0; i < bins.length; i++)
				cells[cellOf[bins[i]]] += counts[i];
		}
		return cells;
	}

	show() {
		const { clientWidth: width, clientHeight: height } = this.canvas.parentNode;

		if (!this.timeline.isThere || !width)
			return;
		this.measure();
		const pen = penOf(this.canvas, width, height);
		const cells = this.count();
		const most = cells.reduce((a, b) => Math.max(a, b), 1);
		this.wide = Math.min(64, width / this.columns);
		this.high = height / this.rows;
		const { range } = this.selection, { bin, slice } = this.data.time;
		const [from, to] = range ? [range.from, range.to]
			.map((at) => at * slice / bin) : [0, Infinity];
		const [empty, full] = ['track', 'hot'].map(themeColour);

		cells.forEach((count, i) => {
			const column = Math.floor(i / this.rows), row = i % this.rows;
			const at = this.binOf(i);
			if (at >= this.data.time.bins)
				return;
			const isOut = at + this.cell <= from || at >= to;
			pen.globalAlpha = isOut ? 0.25 : 1;
			this.drawCell(pen, column, row, height, empty);
			pen.globalAlpha *= 0.15 + 0.85 * count / most;
			if (count)
				this.drawCell(pen, column, row, height, full);
		});
		labelTimes(this.canvas, 'Samples by second and part of it',
			this.tell(this.binOf(cells.indexOf(
				cells.reduce((a, b) => Math.max(a, b))))));
		byId('heat-most').textContent =
			`${countOf(Math.round(most), 'sample')} per cell`;
		byId('heat-note').textContent = `Each column is ${timeText(
			this.column * bin)}, each cell ${timeText(this.cell * bin)
			}, upwards. Drag to select.`;
	}

	// Returns the first time bin of cell I.
	binOf(i) {
		return Math.floor(i / this.rows) * this.column +
			i % this.rows * this.cell;
	}

	drawCell(pen, column, row, bottom, colour) {
		pen.fillStyle = colour;
		pen.fillRect(column * this.wide, bottom - (row + 1) * this.high,
			this.wide - (this.wide > 4 ? 1 : 0), this.high);
	}

	// Returns the first time bin of the cell under the mouse; the cell can be
	// behind the last cell of the recording.
	cellAt(event) {
		const area = this.canvas.getBoundingClientRect();
		const column = Math.floor((event.clientX - area.left) / this.wide);
		const row = Math.floor((area.bottom - event.clientY) / this.high);

		return column * this.column +
			Math.max(0, Math.min(row, this.rows - 1)) * this.cell;
	}

	timeAt(event) {
		return Math.max(0,
			Math.min(this.data.time.bins - 1, this.cellAt(event)));
	}

	// Returns a text about the samples of the cell whose first time bin is AT.
	tell(at) {
		const { threads } = this.selection, { timeline } = this;
		const name = threads?.label ?? timeline.allThreads;
		const end = Math.floor(at / this.column + 1) * this.column;

		return timeline.tell(name, this.lanes, at,
			Math.min(at + this.cell, end));
	}

	tellCell(event) {
		const at = this.cellAt(event);

		return at >= 0 && at < this.data.time.bins ? this.tell(at) : null;
	}

	choose(event, isDone) {
		const at = this.timeAt(event), { bin, slice, slices } = this.data.time;
		const first = Math.min(at, this.from) * bin / slice;
		const last = (Math.max(at, this.from) + this.cell) * bin / slice;

		this.timeline.setRange(Math.min(slices - 1, Math.floor(first)),
			Math.min(slices, Math.ceil(last)), isDone);
	}
}
