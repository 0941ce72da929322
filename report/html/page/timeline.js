// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline: all samples above, and a lane per thread below. A time range, a
// whole number of slices, can be dragged on both.

const overviewHeight = 56;
const laneHeight = 18;
const lanesAtOnce = 12;
const lanesMax = 500; // the height of a canvas is limited
// colour of each thread state
const laneColours = ['lane', 'runnable', 'blocked', 'preempted'];

// Adds the samples of LANE to SUMS, which has an element per pixel. All pixels
// together are LENGTH time bins.
function addPixels(lane, length, sums) {
	const width = sums.length;

	lane.bins.forEach((bin, i) => {
		const from = Math.floor(bin * width / length);
		const to = Math.max(from + 1,
			Math.floor((bin + 1) * width / length));
		for (let x = from; x < to && x < width; x++)
			sums[x] += lane.counts[i] / (to - from);
	});
	return sums;
}

// Returns the number of elements of BINS, which are ascending, that are less than
// AT.
function countBefore(bins, at) {
	let from = 0, to = bins.length;

	while (from < to) {
		const middle = (from + to) >> 1;
		if (bins[middle] < at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

// Returns the sum of a lane from bin FROM to TO.
function sumOf({ bins, counts }, from, to) {
	let sum = 0;

	for (let i = countBefore(bins, from); bins[i] < to; i++)
		sum += counts[i];
	return sum;
}

// Sets the text for screen readers of CANVAS: WHAT it shows, and where the maximum
// is.
function labelTimes(canvas, what, [name, ...most]) {
	canvas.setAttribute('aria-label', `${what}, ${name}. The most is from ${
		most.join(', ')}. Drag to choose a range, or use the fields From and To.`);
}

class Timeline {
	constructor(data, state, selection, tip) {
		Object.assign(this, { data, state, selection, tip });
		this.overview = byId('overview');
		this.lanes = byId('lanes');
		this.isLong = false;
		const drag = (from, to, isDone) => this.brush(from, to, isDone);
		onDrag(this.overview, { drag, click: () => this.clear() });
		onDrag(this.lanes, { drag, click: (event) =>
			this.choose(this.threadAt(event)) });
		tip.follow(this.overview, (event) => this.tellSlice(event));
		tip.follow(this.lanes, (event) => this.tellLane(event));
		byId('all-time').addEventListener('click', () => this.clear());
		byId('all-lanes').addEventListener('click', () => {
			this.isLong = true;
			this.show();
			byId('threads').querySelector('button')?.focus();
		});
		for (const id of ['from', 'to'])
			byId(id).addEventListener('change', () => this.takeTime(id));
		this.veils = [this.overview, this.lanes].map((canvas) =>
			new Veils(canvas.parentNode));
		new ResizeObserver(([{ contentRect }]) => {
			if (this.wide !== contentRect.width)
				this.show();
			this.wide = contentRect.width;
		}).observe(byId('timeline'));
	}

	get isThere() {
		return this.data.time.slice > 0;
	}

	get length() {
		return this.data.time.slices * this.data.time.slice;
	}

	brush(a, b, isDone) {
		const n = this.data.time.slices;
		const from = Math.min(n - 1, Math.floor(Math.min(a, b) * n));
		const to = Math.max(from + 1, Math.ceil(Math.max(a, b) * n));

		this.setRange(from, to, isDone);
	}

	setRange(from, to, isDone = true) {
		const isAll = from === 0 && to === this.data.time.slices;
		const range = isAll ? { from: '', to: '' } : { from, to };

		if (isDone)
			this.state.set(range);
		else
			this.state.move(range);
	}

	clear() {
		this.state.set({ from: '', to: '' });
	}

	// Applies the typed end (END: start or end) of the time range; the other end
	// does not change.
	takeTime(end) {
		const { bin, slice, slices } = this.data.time;
		const at = Number(byId(end).value) / (bin * slice / 1e9);
		const range = { from: 0, to: slices, ...this.selection.range };

		range[end] = end === 'from' ? Math.floor(at + 1e-6)
			: Math.min(slices, Math.ceil(at - 1e-6));
		const isRange = range.from >= 0 && range.to > range.from;

		if (isRange)
			this.setRange(range.from, range.to);
		this.showRange();
		if (!isRange)
			byId('slice-note').textContent =
				'invalid range: the end is before the start';
	}

	showRange() {
		const { bin, slice, slices } = this.data.time, length = bin * slice;
		const { from, to } = this.selection.range || { from: 0, to: slices };

		if (!this.isThere)
			return;
		byId('from').value = secondsText(from * length, length);
		byId('to').value = secondsText(to * length, length);
		byId('all-time').disabled = !this.selection.range;
		byId('slice-note').textContent =
			`in steps of ${timeText(length)}`;
		byId('clock').textContent = this.clockText();
		for (const veils of this.veils)
			veils.show(this.selection.range, slices);
	}

	// Shows the range as an argument of --time, in the clock of the recording.
	clockText() {
		const { first, bin, slice } = this.data.time, { range } = this.selection;
		const clock = (number, less) => {
			const ns = first + BigInt(number) * BigInt(bin * slice) - less;
			return `${ns / 1000000000n}.${
				`${ns % 1000000000n}`.padStart(9, '0')}`;
		};

		return range ? `--time ${clock(range.from, 0n)},${clock(range.to, 1n)}`
			: `0 s is ${clock(0, 0n)} s of the recording’s clock`;
	}

	// Returns the threads with their lanes, the threads with the most samples
	// first.
	threads() {
		const threads = new Map();

		for (const lane of this.selection.event.lanes) {
			const key = lane.label || `${lane.pid}.${lane.tid}`;
			const thread = threads.get(key) || { key, lanes: [], sum: 0, away: 0,
				times: [0, 0, 0, 0], pid: lane.pid, tid: lane.tid, label: lane.label };
			thread.lanes.push(lane);
			thread[lane.state ? 'away' : 'sum'] += lane.sum;
			thread.times[lane.state] += lane.sum;
			threads.set(key, thread);
		}
		return Array.from(threads.values())
			.sort((a, b) => b.sum - a.sum || b.away - a.away ||
				a.tid - b.tid);
	}

	// Returns the label of THREAD, or its names and its TID, as texts. The last name
	// is the first one: the label is cut at its end.
	namesOf(thread) {
		const names = this.data.tasks.filter(({ pid, tid }) =>
			pid === thread.pid && tid === thread.tid)
			.sort((a, b) => b.last - a.last)
			.map(({ comm }) => comm);

		return thread.label ? [thread.label]
			: [names.join(', ') || '?', String(thread.tid)];
	}

	show() {
		byId('time').hidden = !this.isThere;
		if (!this.isThere)
			return;
		const all = this.threads();
		this.shown = all.slice(0, this.isLong ? lanesMax : lanesAtOnce);
		byId('states').hidden = !all.some(({ away }) => away);
		byId('all-lanes').hidden = this.isLong ||
			this.shown.length === all.length;
		byId('all-lanes').textContent = all.length > lanesMax
			? `Show ${lanesMax} of ${countText(all.length)} threads`
			: `Show all ${all.length} threads`;
		this.showRange();
		this.drawOverview();
		this.drawLanes();
		this.listThreads();
	}

	// Returns the thread states whose counts are summed over threads: either
	// samples or times, which cannot be added.
	get summed() {
		return this.selection.event.lanes.some(({ state }) => state === 0)
			? [0] : [1, 2, 3];
	}

	get counted() {
		const { summed } = this;

		return this.selection.event.lanes.filter(
			({ state }) => summed.includes(state));
	}

	get allThreads() {
		return this.summed[0] ? 'all threads, off the CPU' : 'all threads';
	}

	// Draws the sums of all threads, with the thread states stacked above each
	// other.
	drawOverview() {
		const width = this.overview.parentNode.clientWidth;
		const pen = penOf(this.overview, width, overviewHeight);
		const plot = overviewHeight - 16, { summed } = this;
		const { lanes } = this.selection.event;
		const pixels = summed.map((state) => lanes
			.filter((lane) => lane.state === state)
			.reduce((sums, lane) => addPixels(lane, this.length, sums),
				new Float64Array(width)));
		const most = pixels[0].reduce((top, at, x) => Math.max(top,
			pixels.reduce((sum, each) => sum + each[x], 0)), 1e-9);
		const ends = new Float64Array(width).fill(plot);

		summed.forEach((state, i) => {
			pen.fillStyle = themeColour(laneColours[state]);
			for (let x = 0; x < width; x++) {
				const height = pixels[i][x] / most * (plot - 2);
				ends[x] -= height;
				pen.fillRect(x, ends[x], 1, height);
			}
		});
		byId('all-threads').textContent = this.allThreads;
		this.drawAxis(pen, width, plot);
		this.labelOverview();
	}

	// Sets the text of the overview canvas for screen readers.
	labelOverview() {
		const { slice, slices } = this.data.time, { counted } = this;
		const sums = new Float64Array(slices);

		for (const { bins, counts } of counted)
			bins.forEach((bin, i) => {
				sums[Math.floor(bin / slice)] += counts[i];
			});
		const at = sums.indexOf(sums.reduce((a, b) => Math.max(a, b)));
		labelTimes(this.overview, 'Samples over time', this.tell(
			this.allThreads, counted, at * slice, (at + 1) * slice));
	}

	drawAxis(pen, width, top) {
		const length = this.length * this.data.time.bin;
		const rough = length / Math.max(2, width / 110);
		const power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((n) => n * power)
			.find((n) => n >= rough);

		pen.fillStyle = themeColour('line');
		pen.fillRect(0, top, width, 1);
		pen.font = getComputedStyle(this.overview).font;
		pen.textBaseline = 'top';
		for (let at = 0; at < length; at += step) {
			const x = at / length * width;
			pen.fillStyle = themeColour('line');
			pen.fillRect(x, top, 1, 4);
			pen.fillStyle = themeColour('faint');
			if (x + 40 < width)
				pen.fillText(`${secondsText(at, step)} s`, x + 3, top + 3);
		}
	}

	drawLanes() {
		const width = this.lanes.parentNode.clientWidth;
		const height = Math.max(1, this.shown.length) * laneHeight;
		const pen = penOf(this.lanes, width, height);
		const colours = laneColours.map(themeColour);

		this.shown.forEach((thread, row) => {
			pen.fillStyle = themeColour('track');
			pen.fillRect(0, row * laneHeight + 2, width,
				laneHeight - 4);
			for (const lane of thread.lanes)
				this.drawLane(pen, lane, row * laneHeight, width,
					colours[lane.state]);
		});
	}

	// Draws LANE of a thread. Off-CPU time is drawn as a strip below on-CPU time.
	drawLane(pen, lane, y, width, colour) {
		const pixels = addPixels(lane, this.length,
			new Float64Array(width));
		const most = pixels.reduce((a, b) => Math.max(a, b), 1e-9);
		const top = lane.state ? y + laneHeight - 5 : y + 2;
		const high = lane.state ? 3 : laneHeight - 7;

		pen.fillStyle = colour;
		for (let x = 0; x < width; x++) {
			if (!pixels[x])
				continue;
			pen.globalAlpha = 0.3 + 0.7 * pixels[x] / most;
			pen.fillRect(x, top, 1, high);
		}
		pen.globalAlpha = 1;
	}

	listThreads() {
		const sum = this.selection.event.samples;

		replaceIn(byId('threads'), this.shown.map((thread) => {
			const line = element('li');
			const isChosen = this.state.get('thread') === thread.key;
			const names = this.namesOf(thread);
			const texts = this.textsOf(thread, sum);
			const button = element('button', undefined, {
				type: 'button', 'aria-pressed': isChosen,
				title: `${names.join(' ')}: ${texts.join(', ')}` });
			button.append(...isolated(names, ' '));
			button.addEventListener('click', () => this.choose(thread));
			this.tip.attend(button, () => [names.join(' '), ...texts]);
			line.append(button);
			return line;
		}));
	}

	// Returns texts about the samples and off-CPU times of a thread. SUM is the
	// number of samples of all threads.
	textsOf({ sum: own, times }, sum) {
		return [own && `${percentText(own, sum)} of the samples`,
			...this.awayTexts(times)].filter(Boolean);
	}

	awayTexts([, runnable, blocked, preempted]) {
		return [runnable && `runnable for ${timeText(runnable * 1000)}`,
			blocked && `blocked for ${timeText(blocked * 1000)}`,
			preempted && `preempted for ${timeText(preempted * 1000)}`]
			.filter(Boolean);
	}

	// Returns a text about LANES, called NAME, from time bin FROM to TO.
	tell(name, lanes, from, to) {
		const { bin } = this.data.time, times = [0, 0, 0, 0];
		const step = (to - from) * bin;

		for (const lane of lanes)
			times[lane.state] += sumOf(lane, from, to);
		const what = [times[0] && countOf(times[0], 'sample'),
			...this.awayTexts(times)].filter(Boolean);
		return [name, `${secondsText(from * bin, step)} s to ${
			secondsText(to * bin, step)} s`,
		...what.length ? what : ['nothing']];
	}

	// Returns a text about LANES, called NAME, at the mouse on CANVAS: a few
	// pixels, rounded to time slices.
	tellAt(event, canvas, name, lanes) {
		const { bins, slice, slices } = this.data.time;
		const step = slice * Math.ceil(4 * slices / canvas.clientWidth);
		const from = Math.floor(placeOn(canvas, event) * (bins - 1) / step) *
			step;

		return this.tell(name, lanes, from, Math.min(from + step, bins));
	}

	tellSlice(event) {
		return this.tellAt(
			event, this.overview, this.allThreads, this.counted);
	}

	tellLane(event) {
		const thread = this.threadAt(event);

		return thread ? this.tellAt(event, this.lanes,
			this.namesOf(thread).join(' '), thread.lanes) : null;
	}

	choose(thread) {
		if (!thread || thread.label)
			return;
		this.state.set({ thread: this.state.get('thread') === thread.key
			? '' : thread.key });
	}

	threadAt(event) {
		const { top } = this.lanes.getBoundingClientRect();

		return this.shown[Math.floor((event.clientY - top) / laneHeight)];
	}
}
