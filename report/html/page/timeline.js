// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline: all samples above, and a lane per thread below. A time range, a
// whole number of slices, can be dragged on both.

const overviewHeight = 40;
const laneHeight = 16;
const stripHeight = 3; // of off-CPU time, below on-CPU time
const lanesAtOnce = 12;
const labelSteps = 1000; // the text about the maximum has a part of this many
const leastView = 10; // slices
const lanesMax = 500; // the height of a canvas is limited
// colour of each thread state
const laneColours = ['lane', 'runnable', 'blocked', 'preempted'];

// Adds the samples of LANE to SUMS, which has an element per pixel of the view of
// AXIS.
function addPixels(lane, axis, sums) {
	const width = sums.length, { bin, slice } = axis.time;
	const { from } = axis.view, scale = width * slice / axis.length;
	const per = bin / slice; // slices in a bin
	const { bins, counts } = lane;

	for (let i = countBefore(bins, Math.floor(from / per)); i < bins.length;
		i++) {
		const left = (bins[i] * per - from) * scale;
		if (left >= width)
			break;
		const first = Math.floor(left);
		const end = Math.max(first + 1, Math.floor(left + per * scale));
		for (let x = Math.max(0, first); x < end && x < width; x++)
			sums[x] += counts[i] / (end - first);
	}
	return sums;
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

// Sets each number of LISTS that is not the largest one at its index to 0.
function keepLargest(lists) {
	lists[0].forEach((_, x) => {
		const most = Math.max(...lists.map((list) => list[x]));
		for (const list of lists)
			if (list[x] < most)
				list[x] = 0;
	});
}

// Returns pixels of colours from COLOUR to OTHER.
function shadesBetween(colour, other) {
	return Uint32Array.from({ length: 64 }, (_, i) =>
		pixelWord(colourBytes(colour, other, i / 63)));
}

class Timeline {
	constructor(data, state, selection, tip) {
		Object.assign(this, { data, state, selection, tip });
		this.axis = new TimeAxis(data, state);
		this.overview = byId('overview');
		this.lanes = byId('lanes');
		this.isLong = false;
		const drag = (from, to, isDone) => this.brush(from, to, isDone);
		onDrag(this.overview, { drag, click: () => this.clear() });
		onDrag(this.lanes, { drag, click: (event) =>
			this.choose(this.threadAt(event), event) });
		this.open = new Set(); // keys of groups whose threads have lanes
		for (const canvas of [this.overview, this.lanes])
			onZoomWheel(canvas, (event, change) => this.turn(event, change));
		tip.follow(this.overview, (event) => this.tellSlice(event));
		tip.follow(this.lanes, (event) => this.tellLane(event));
		byId('all-time').addEventListener('click', () => this.clear());
		byId('zoom-in').addEventListener('click', () => this.zoomIn());
		byId('zoom-out').addEventListener('click', () => this.zoomOut());
		byId('all-lanes').addEventListener('click', () => {
			this.isLong = true;
			this.show();
			byId('threads').querySelector('button')?.focus();
		});
		for (const id of ['from', 'to'])
			byId(id).addEventListener('change', () => this.takeTime(id));
		this.veils = [this.overview, this.lanes].map((canvas) =>
			new Veils(canvas.parentNode));
		this.painter = new Painter(this.lanes);
		new ResizeObserver(() => {
			if (this.widths.some((width, i) => width !== this.drawnWidths?.[i]))
				this.show();
		}).observe(byId('timeline'));
	}

	get isThere() {
		return this.axis.isThere;
	}

	// Returns the widths of the overview and of the lanes, in pixels.
	get widths() {
		return [this.overview, this.lanes].map((canvas) =>
			canvas.parentNode.clientWidth);
	}

	brush(a, b, isDone) {
		const { from, to } = this.axis.view;
		const first = Math.min(to - 1,
			Math.floor(this.axis.sliceAt(Math.min(a, b))));
		const end = Math.max(first + 1,
			Math.ceil(this.axis.sliceAt(Math.max(a, b))));

		this.setRange(Math.max(from, first), Math.min(to, end), isDone);
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

	// Shows the selected range at the full width.
	zoomIn() {
		const { range } = this.selection;

		if (range)
			this.state.set({ view: `${range.from}-${range.to}` });
	}

	zoomOut() {
		this.state.set({ view: '' });
	}

	// Zooms the view around the time below the mouse.
	turn(event, change) {
		const { axis } = this, { slices } = axis.time;
		const { from, to } = axis.view, share = placeOn(event.target, event);
		const length = Math.min(slices, Math.max(leastView,
			Math.round((to - from) * 2 ** change)));
		const first = Math.max(0, Math.min(slices - length, Math.round(
			axis.sliceAt(share) - share * length)));

		this.state.set({ view: length < slices
			? `${first}-${first + length}` : '' }, false);
	}

	// Applies the typed end (END: start or end) of the time range; the other end
	// does not change.
	takeTime(end) {
		const { slices } = this.data.time;
		const at = this.axis.sliceOf(Number(byId(end).value) * 1e9);
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
		const { axis } = this, { slice, slices } = this.data.time;
		const range = this.selection.range || { from: 0, to: slices };

		if (!this.isThere)
			return;
		for (const end of ['from', 'to'])
			byId(end).value = axis.exactText(range[end]);
		byId('all-time').disabled = byId('zoom-in').disabled =
			!this.selection.range;
		byId('zoom-out').disabled = !axis.isZoomed;
		byId('slice-note').textContent = axis.isExact ? ''
			: `in steps of ${timeText(slice)}`;
		byId('clock').textContent = this.clockText();
		for (const veils of this.veils)
			veils.show(this.selection.range, axis);
	}

	// Shows the range as an argument of --time, in the clock of the recording.
	clockText() {
		const { first, slice } = this.data.time, { range } = this.selection;
		const clock = (number, less) => {
			const ns = first + BigInt(number) * BigInt(slice) - less;
			return `${ns / 1000000000n}.${
				`${ns % 1000000000n}`.padStart(9, '0')}`;
		};

		return range ? `--time ${clock(range.from, 0n)},${
			clock(range.to, 1n)}` : '';
	}

	// Returns the threads with their LANES, the threads with the most samples first.
	// KEYOF(lane) is the key of the thread, or of the group, of a lane.
	threads(lanes, keyOf) {
		const threads = new Map();

		for (const lane of lanes) {
			const key = keyOf(lane);
			const thread = threads.get(key) || { key, lanes: [], sum: 0, away: 0,
				times: [0, 0, 0, 0], tid: lane.tid, label: lane.label,
				group: this.data.threadGroups.get(key) };
			thread.lanes.push(lane);
			thread[lane.state ? 'away' : 'sum'] += lane.sum;
			thread.times[lane.state] += lane.sum;
			threads.set(key, thread);
		}
		return Array.from(threads.values())
			.sort((a, b) => b.sum - a.sum || b.away - a.away ||
				a.tid - b.tid);
	}

	// Returns the rows of lanes: of threads, and of groups of threads. The threads of
	// an open group follow it.
	rows() {
		const groupOf = new Map();
		const keyOf = (lane) => lane.label || lane.thread;

		for (const { key, threads } of this.data.threadGroups.values())
			for (const thread of threads)
				groupOf.set(thread, key);
		return this.threads(this.selection.event.lanes, (lane) => lane.label ||
			groupOf.get(lane.thread) || lane.thread)
			.flatMap((row) => !this.open.has(row.key) ? row
				: [row, ...this.threads(row.lanes, keyOf)
					.map((thread) => ({ ...thread, isInGroup: true }))]);
	}

	// Returns the label of THREAD, or its names and its TID, as texts. The last name
	// is the first one: the label is cut at its end.
	namesOf(thread) {
		if (thread.group)
			return [thread.group.label];
		const names = this.data.tasks.filter((task) =>
			task.thread === thread.key)
			.sort((a, b) => b.last - a.last)
			.map(({ comm }) => comm);

		return thread.label ? [thread.label]
			: [names.join(', ') || '?', thread.tid];
	}

	show() {
		const isHeat = this.state.get('times') === 'heat';

		byId('heat-panel').hidden = !isHeat;
		byId('timeline').hidden = isHeat;
		if (!this.isThere)
			return;
		const all = this.rows();
		this.shown = all.slice(0, this.isLong ? lanesMax : lanesAtOnce);
		byId('states').hidden = !all.some(({ away }) => away);
		byId('all-lanes').hidden = this.isLong ||
			this.shown.length === all.length;
		byId('all-lanes').textContent = all.length > lanesMax
			? `Show ${lanesMax} of ${countText(all.length)} lanes`
			: `Show all ${all.length} lanes`;
		this.showRange();
		this.listThreads();
		const [overviewWidth, lanesWidth] = this.drawnWidths = this.widths;
		this.drawOverview(overviewWidth);
		this.drawLanes(lanesWidth);
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

	// Returns, for each of LANELISTS (lists of lanes), its samples by pixel of the
	// view. If pixels are shorter than time bins, samples are counted one by one;
	// times off the CPU are known by bin only.
	countPixels(laneLists, width) {
		const { axis } = this, { cells } = this.selection.event;
		const isFine = axis.isExact &&
			axis.length / width < this.data.time.bin;
		const sums = laneLists.map((lanes) => lanes
			.filter(({ state }) => !isFine || state)
			.reduce((all, lane) => addPixels(lane, axis, all),
				new Float64Array(width)));

		if (!isFine)
			return sums;
		const { from, to } = axis.view, scale = width / (to - from);
		const listOf = this.listsOfTasks(laneLists);
		const end = countBefore(cells.slice, to);
		const { functions, nodes } = this.data;
		for (let i = countBefore(cells.slice, from); i < end; i++)
			for (const list of isState(functions[nodes.fn[cells.node[i]]]) ? []
				: listOf[cells.task[i]])
				sums[list][Math.floor((cells.slice[i] - from) *
					scale)] += cells.samples[i];
		return sums;
	}

	// Returns, for each task, the numbers of the LANELISTS with a lane of samples
	// of its thread.
	listsOfTasks(laneLists) {
		const byThread = new Map(), rest = [], none = [];
		const { lanes: all } = this.selection.event;
		const own = new Set(all.filter(({ label }) => !label)
			.map(({ thread }) => thread));

		laneLists.forEach((lanes, number) => {
			for (const { state, thread, label } of lanes) {
				if (!state && label)
					rest.push(number);
				else if (!state)
					byThread.set(thread,
						[...byThread.get(thread) || [], number]);
			}
		});
		// Threads beyond the limit of lanes share one.
		return this.data.tasks.map(({ thread }) => own.has(thread)
			? byThread.get(thread) || none : rest);
	}

	// Draws the sums of all threads, with the thread states stacked above each
	// other.
	drawOverview(width) {
		const pen = penOf(this.overview, width, overviewHeight);
		const plot = overviewHeight - 16, { summed } = this;
		const { lanes } = this.selection.event;
		const pixels = this.countPixels(summed.map((state) =>
			lanes.filter((lane) => lane.state === state)), width);
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
		byId('all-threads').textContent = this.allThreads +
			this.cpuText(most, width);
		pen.font = getComputedStyle(this.overview).font;
		this.axis.draw(pen, width, plot);
		this.labelOverview();
	}

	// Returns how many CPUs the highest pixel stands for, with MOST samples, if the
	// period of samples is a time and a pixel is long enough.
	cpuText(most, width) {
		const { period, samples, unit } = this.selection.event;
		const mean = period / samples, pixel = this.axis.length / width;

		const isWaiting = this.selection.event.lanes.some(({ state }) => state);

		return unit !== 'ns' || isWaiting || pixel < 10 * mean ? ''
			: `, up to ${(most * mean / pixel).toFixed(1)} CPUs`;
	}

	// Sets the text of the overview canvas for screen readers.
	labelOverview() {
		const { bins } = this.data.time, { counted } = this;
		const step = Math.ceil(bins / labelSteps);
		const sums = new Float64Array(Math.ceil(bins / step));

		for (const lane of counted)
			lane.bins.forEach((bin, i) => {
				sums[Math.floor(bin / step)] += lane.counts[i];
			});
		const at = sums.indexOf(sums.reduce((a, b) => Math.max(a, b)));
		labelTimes(this.overview, 'Samples over time', this.tell(
			this.allThreads, counted, at * step, (at + 1) * step));
	}

	drawLanes(width) {
		const height = Math.max(1, this.shown.length) * laneHeight;
		const strips = this.shown.map(({ lanes }) => laneColours
			.map((_, state) => lanes.filter((lane) => lane.state === state)));
		const counted = this.countPixels(strips.flat(), width);
		const full = this.axis.length / width / 1000; // us in a pixel
		const track = themeColour('track'), { painter } = this;
		const shades = laneColours.map((name) =>
			shadesBetween(track, themeColour(name)));
		const drawStrip = (states, top, high, most) => {
			painter.beginRow(shades[0][0]);
			states.forEach(([state, pixels]) =>
				this.addLane(pixels, shades[state], most));
			painter.endRow(top, high);
		};

		painter.begin(width, height);
		this.shown.forEach((thread, row) => {
			const [on, ...off] = laneColours.map((_, state) =>
				[state, counted[row * laneColours.length + state]]);
			const top = row * laneHeight + 2, { group } = thread;
			if (group)
				keepLargest(off.map(([, pixels]) => pixels));
			drawStrip([], top, laneHeight - 4);
			drawStrip([on], top, laneHeight - 4 - stripHeight);
			drawStrip(off, top + laneHeight - 4 - stripHeight, stripHeight,
				group && group.threads.length * full);
		});
		painter.end();
	}

	// Adds a lane of a thread to the row of the painter: the more samples a pixel
	// has, the stronger its colour of SHADES. MOST samples have the strongest colour.
	addLane(pixels, shades, most = pixels.reduce((a, b) => Math.max(a, b), 1e-9)) {
		const { painter } = this;
		const scale = (shades.length - 1) * 0.7 / most;

		for (let x = 0; x < pixels.length; x++) {
			if (!pixels[x])
				continue;
			const word = shades[Math.round((shades.length - 1) * 0.3 +
				scale * Math.min(most, pixels[x]))];
			painter.addBox(x, 1, word, word);
		}
	}

	listThreads() {
		const sum = this.selection.event.samples;

		replaceIn(byId('threads'), this.shown.map((thread) => {
			const line = element('li');
			const isChosen = this.chosen.includes(thread.key);
			const names = this.namesOf(thread);
			const texts = this.textsOf(thread, sum);
			const button = element('button', undefined, {
				type: 'button', 'aria-pressed': isChosen,
				title: `${names.join(' ')}: ${texts.join(', ')}` });
			button.append(...isolated(names, ' '));
			button.addEventListener('click', (event) =>
				this.choose(thread, event));
			this.tip.attend(button, () => [names.join(' '), ...texts]);
			line.append(...thread.group ? [this.makeSign(thread)] : [], button);
			line.classList.toggle('in-group', Boolean(thread.isInGroup));
			return line;
		}));
	}

	// Returns the button that shows or hides the lanes of the threads of GROUP.
	makeSign({ key, group }) {
		const isOpen = this.open.has(key);
		const sign = element('button', isOpen ? '▾' : '▸', { type: 'button',
			class: 'sign', 'aria-expanded': isOpen,
			'aria-label': `threads of ${group.label}` });

		sign.addEventListener('click', () => {
			this.open[isOpen ? 'delete' : 'add'](key);
			this.show();
		});
		return sign;
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
	// pixels, rounded to time bins.
	tellAt(event, canvas, name, lanes) {
		const { bins, bin, slice } = this.data.time, { axis } = this;
		const step = Math.max(1, Math.ceil(
			4 * axis.length / canvas.clientWidth / bin));
		const at = axis.sliceAt(placeOn(canvas, event)) * slice / bin;
		const from = Math.min(bins - 1, Math.floor(at / step) * step);

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

	// Returns the keys of the chosen threads and groups.
	get chosen() {
		return this.state.get('thread').split(',').filter(Boolean);
	}

	// Chooses THREAD only, or all threads if it is chosen. With Ctrl or Cmd, adds or
	// removes THREAD.
	choose(thread, { ctrlKey, metaKey }) {
		if (!thread || thread.label)
			return;
		const { chosen } = this, { key } = thread;
		const others = chosen.filter((other) => other !== key);
		const isAdded = others.length === chosen.length;

		this.state.set({ thread: ctrlKey || metaKey
			? [...others, ...isAdded ? [key] : []].join()
			: isAdded || others.length ? key : '' });
	}

	threadAt(event) {
		const { top } = this.lanes.getBoundingClientRect();

		return this.shown[Math.floor((event.clientY - top) / laneHeight)];
	}
}
