// SPDX-License-Identifier: GPL-2.0-or-later
// The selected samples: of one event, in a time range, of threads, with transformed
// stacks. All panels except the timeline show only the selected samples.

// Returns the number of elements of the ascending array LIST that are less than AT.
function countBefore(list, at) {
	let from = 0, to = list.length;

	while (from < to) {
		const middle = (from + to) >> 1;
		if (list[middle] < at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

// Returns the indexes in ORDER, or 0 to KEYS.length - 1, sorted by KEYS, which are from 0
// to N - 1. Equal keys keep their order.
function orderBy(keys, n, order) {
	const next = new Int32Array(n + 1), sorted = new Int32Array(keys.length);

	for (let i = 0; i < keys.length; i++)
		next[keys[i] + 1]++;
	for (let i = 0; i < n; i++)
		next[i + 1] += next[i];
	for (let i = 0; i < keys.length; i++) {
		const at = order ? order[i] : i;
		sorted[next[keys[at]]++] = at;
	}
	return sorted;
}

// Returns TREE with the frame of GROUP below its root, for cells of one group.
function groupTreeAsOne(tree, places, group) {
	const made = { parent: new Int32Array(tree.n + 1),
		fn: new Int32Array(tree.n + 1) };

	made.parent[0] = -1;
	made.fn[0] = tree.fn[0];
	made.fn.set(tree.fn, 1);
	made.fn[1] = group;
	for (let i = 1; i < tree.n; i++)
		made.parent[i + 1] = tree.parent[i] + 1;
	return { tree: new Tree(made.parent, made.fn),
		places: places.map((place) => place < 0 ? -1 : place + 1) };
}

// Returns TREE with one more frame below the root for each group, and in .places the
// new node of each of the CELLS. PLACES has the node of each cell in TREE, or -1. GROUPOF
// has the function that stands for the group of each task.
function groupTree(tree, cells, places, groupOf) {
	const groups = Array.from(new Set(groupOf));
	if (groups.length === 1)
		return groupTreeAsOne(tree, places, groups[0]);
	const number = new Map(groups.map((fn, i) => [fn, i]));
	const numbers = groupOf.map((fn) => number.get(fn));
	const byGroup = cells.task.map((task) => numbers[task]);
	const nodes = new Int32Array(cells.n).fill(-1);
	// the last new node of each node
	const mapped = new Int32Array(tree.n), path = new Int32Array(tree.n);
	let parent = new Int32Array(tree.n), fn = new Int32Array(tree.n);
	let n = 1, group = -1, frame = 0;

	parent[0] = -1;
	fn[0] = tree.fn[0];
	// In the order of the nodes, the new nodes are in depth-first order.
	for (const cell of orderBy(byGroup, groups.length,
		orderBy(places.map((place) => place + 1), tree.n + 1))) {
		let at = places[cell], depth = 0;
		if (byGroup[cell] !== group) {
			group = byGroup[cell];
			at = Math.max(at, 0);
			frame = n;
		}
		for (; at > 0 && mapped[at] < frame; at = tree.parent[at])
			path[depth++] = at;
		if (n + depth >= fn.length) {
			parent = grown(parent);
			fn = grown(fn);
		}
		if (n === frame) {
			mapped[0] = n;
			fn[n++] = groups[group];
		}
		while (depth) {
			const above = mapped[at];
			at = path[--depth];
			mapped[at] = n;
			parent[n] = above;
			fn[n++] = tree.fn[at];
		}
		if (places[cell] >= 0)
			nodes[cell] = mapped[places[cell]];
	}
	return { tree: new Tree(parent.slice(0, n), fn.slice(0, n)), places: nodes };
}

function grown(array) {
	const larger = new Int32Array(2 * array.length);

	larger.set(array);
	return larger;
}

// Sums SAMPLES of each of the TASKS by thread. A thread that had several names gets the
// name with the most samples.
function sumThreads(tasks, samples) {
	const threads = new Map();

	tasks.forEach(({ tid, comm, thread: key }, i) => {
		if (!samples[i])
			return;
		const thread = threads.get(key) ?? { tid, samples: 0, most: 0 };
		threads.set(key, thread);
		thread.samples += samples[i];
		if (samples[i] > thread.most)
			Object.assign(thread, { comm, most: samples[i] });
	});
	return { samples: samples.reduce((sum, n) => sum + n, 0),
		threads: Array.from(threads.values())
			.sort((a, b) => b.samples - a.samples || a.tid - b.tid) };
}

class Selection {
	constructor(data, state) {
		this.data = data;
		this.state = state;
		data.threadGroups ??= groupThreads(data.tasks);
	}

	get event() {
		const { state, data } = this;

		return data.events[state.number('event', 0, data.events.length)];
	}

	// Returns the selected range of time slices, or null if all slices are
	// selected.
	get range() {
		const { state, data } = this, n = data.time.slices;
		const from = state.number('from', -1, n);
		const to = state.number('to', -1, n + 1);

		return data.time.slice && from >= 0 && to > from
			? { from, to } : null;
	}

	// Returns the selected threads: their .keys and a .label. Returns null if all threads
	// are selected.
	get threads() {
		return readThreads(this.state.get('thread'), this.data.threadGroups);
	}

	get isAll() {
		return !this.range && !this.threads && !this.wanted;
	}

	// Returns the states of threads whose samples are selected, or undefined: all.
	get wanted() {
		return this.data.sites ? stateChoices[this.state.get('state')] : undefined;
	}

	// Returns for each node of the data whether it has the samples of a selected state;
	// null: all nodes have.
	nodesInState() {
		const { wanted, data: { nodes, functions } } = this;

		return wanted ? Uint8Array.from(nodes.fn, (fn) =>
			wanted.includes(stateOf(functions[fn]))) : null;
	}

	// Returns the sum of the selected samples for each state of threads off the CPU and
	// each function that they wait in, the longest time first: { state, fn, samples,
	// period }. FN is -1 if the function is not known.
	waits() {
		const { data: { sites, nodes, functions } } = this;
		const { node, period } = this.event.cells, sums = new Map();

		this.eachCell((i, share, samples) => {
			const at = node[i], state = functions[nodes.fn[at]];
			if (!isState(state))
				return;
			const key = `${nodes.fn[at]} ${sites[at]}`;
			const sum = sums.get(key) ?? { state: stateOf(state),
				fn: sites[at], samples: 0, period: 0 };
			sums.set(key, sum);
			sum.samples += samples;
			sum.period += period[i] * share;
		});
		return Array.from(sums.values()).sort((a, b) =>
			b.period - a.period || a.fn - b.fn);
	}

	// Sets for each node of TREE the function that the thread waits in, or -1, also if a
	// transform has joined waits in several functions. PLACES has the node of each cell.
	placeSites(tree, places) {
		const { sites } = this.data, { node } = this.event.cells, unset = -2;

		if (!sites)
			return;
		tree.sites = new Int32Array(tree.n).fill(unset);
		places.forEach((place, i) => {
			const had = tree.sites[place], site = sites[node[i]];
			if (place >= 0)
				tree.sites[place] = had === unset || had === site ? site : -1;
		});
	}

	get transforms() {
		return readTransforms(this.state.get('transforms'),
			this.data.functions);
	}

	// Returns, for each task, the function that stands for its group, or null if
	// stacks are not grouped.
	get groups() {
		const by = { __proto__: null, process: 'processFn', thread: 'threadFn' }[
			this.state.get('group')];

		return by ? Int32Array.from(this.data.tasks, (task) => task[by]) : null;
	}

	// Returns for each task whether it is in a selected thread.
	tasksInThreads() {
		const { threads } = this;

		return Uint8Array.from(this.data.tasks, (task) => !threads ||
			threads.keys.has(task.thread));
	}

	// Returns the indexes of the first cell that can be in the selected range, and of
	// the cell behind the last one: a wait can begin before the range.
	cellRange() {
		const { cells } = this.event, { range } = this;

		return range ? [this.cutWaits ? 0 : countBefore(cells.slice, range.from),
			countBefore(cells.slice, range.to)] : [0, cells.n];
	}

	// Returns for each cell of the event whether it is a wait, or null if none is.
	get waitCells() {
		const { event, data: { nodes, functions } } = this;

		if (event.isWait === undefined) {
			const isWait = Uint8Array.from(event.cells.node, (node) =>
				isState(functions[nodes.fn[node]]));
			event.isWait = isWait.includes(1) ? isWait : null;
		}
		return event.isWait;
	}

	// Returns the waits that are cut at both ends of the selected range, or null. Waits
	// are cut at the ends of slices already if not each sample has its own time.
	get cutWaits() {
		const { slice, bin } = this.data.time;

		return this.range && slice < bin ? this.waitCells : null;
	}

	// Returns a function that returns the part of a cell in the selected range, from 0
	// to 1. As in dwell report, a wait is cut at both ends of the range, and other
	// samples belong to their times. The begin of a wait is rounded down to a slice.
	sharesInRange() {
		const { cutWaits: isWait, range, event: { cells } } = this;
		const { slice: ns } = this.data.time;

		if (!isWait)
			return () => 1;
		// The range is that of --time (Timeline.clockText).
		const from = range.from * ns, to = range.to * ns - 1;
		return (i) => {
			const at = cells.slice[i] * ns;
			const length = cells.spans.get(i) ?? cells.period[i];

			if (!isWait[i] || !length)
				return cells.slice[i] >= range.from ? 1 : 0;
			return Math.max(0, Math.min(at + length, to) -
				Math.max(at, from)) / length;
		};
	}

	// Calls TAKE(index, part, samples) for each selected cell: the part of its period
	// that is selected, from 0 to 1, and its number of samples.
	eachCell(take) {
		const { places, range, event: { cells } } = this;
		const { task, node, samples, slice } = cells;
		const isIn = this.tasksInThreads(), [first, end] = this.cellRange();
		const shown = this.nodesInState(), shareOf = this.sharesInRange();

		for (let i = first; i < end; i++) {
			if (places[i] < 0 || !isIn[task[i]] || shown && !shown[node[i]])
				continue;
			const share = shareOf(i);
			// A wait that continues from the slice before has no sample in its
			// slice, but one in a range that begins there.
			if (share)
				take(i, share, samples[i] ||
					Number(slice[i] === range?.from));
		}
	}

	// Makes .plain, the tree of the chosen transforms and groups, and .places, the
	// node of each cell of the event, or -1.
	shape() {
		const { event, groups, data } = this;
		const shaped = JSON.stringify([this.transforms,
			groups && this.state.get('group')]);

		if (event === this.shapedEvent && shaped === this.shaped)
			return;
		Object.assign(this, { shapedEvent: event, shaped });
		const { node, period } = event.cells;
		let { tree, became } = this.transformed(this.transforms);
		let places = became ? node.map((at) => became[at]) : node;
		this.dropped = 0;
		for (let i = 0; became && i < places.length; i++)
			if (places[i] < 0)
				this.dropped += period[i];
		if (groups)
			({ tree, places } = groupTree(tree, event.cells, places, groups));
		this.plain = tree;
		this.places = places;
		this.placeSites(this.plain, places);
		this.merged = null;
	}

	// Returns the tree after all transforms of LIST, and for each node of the data the node
	// of stacks that end there, or -1. The last tree is kept, because most lists
	// continue the list before.
	transformed(list) {
		const { nodes, functions } = this.data, key = JSON.stringify(list);

		if (!list.length)
			return { tree: this.untransformed ??=
				new Tree(nodes.parent, nodes.fn) };
		if (this.kept?.key !== key) {
			const before = this.transformed(list.slice(0, -1));
			const { tree, became } = transformTree(
				before.tree, functions, list.at(-1));
			this.kept = { key, tree, became: before.became?.map((at) =>
				at < 0 ? -1 : became[at]) ?? became };
		}
		return this.kept;
	}

	// Counts the selected samples. Call it after each change of the state.
	count() {
		this.shape();
		const { event, places } = this, n = this.plain.n;
		const period = new Float64Array(n);
		const { period: periods } = event.cells;
		const same = this.cutWaits ? 0 : event.cells.same;
		const counts = same ? period : new Float64Array(n);
		let sum = 0;

		this.eachCell((i, share, samples) => {
			const node = places[i];
			sum += samples;
			period[node] += periods[i] * share;
			if (!same)
				counts[node] += samples;
		});
		this.samples = sum;
		this.plain.weigh(period);
		this.samplesAt = same ? counts.map((all) => all / same) : counts;
		this.functions = addUpFunctions(this.plain, this.samplesAt,
			this.data.functions);
		// Functions of merged frames have totals (event.totals) for the whole
		// recording only.
		if (this.isAll && !this.transforms.length)
			for (const [fn, total] of event.totals)
				this.functions.total[fn] = total;
		// Percentages are of the whole recording, as in dwell report.
		this.whole = this.isAll ? event.period - this.dropped
			: this.plain.total[0];
	}

	// Returns the selected samples at and below NODE of TREE: their number in .samples,
	// and in .threads the samples of each thread, the most first. Returns null if TREE
	// is not a tree of this selection.
	samplesBelow(tree, node) {
		const became = this.merged?.became;
		const isMerged = tree === this.merged?.tree, { places } = this;

		if (tree !== this.plain && !isMerged)
			return null;
		const { task } = this.event.cells, end = tree.ends[node];
		const sums = new Float64Array(this.data.tasks.length);
		this.eachCell((i, share, samples) => {
			const at = isMerged ? became[places[i]] : places[i];
			if (at >= node && at < end)
				sums[task[i]] += samples;
		});
		return sumThreads(this.data.tasks, sums);
	}

	// Returns the table row of function FN: its numbers, or null if it has no
	// samples.
	rowOf(fn) {
		const { self, total, samples } = this.functions;

		return total[fn] > 0 ? { ...this.data.functions[fn], fn,
			self: self[fn], total: total[fn], samples: samples[fn] } : null;
	}

	// Returns the tree to draw: with merged recursion if selected.
	tree() {
		if (this.state.get('merge') !== '1')
			return this.plain;
		if (!this.merged) {
			this.merged = transformTree(this.plain, this.data.functions,
				{ kind: 'R' });
			this.placeSites(this.merged.tree, this.places.map((node) =>
				node < 0 ? -1 : this.merged.became[node]));
		}
		const { tree, became } = this.merged;
		const self = new Float64Array(tree.n);

		for (let i = 0; i < this.plain.n; i++)
			self[became[i]] += this.plain.self[i];
		return tree.weigh(self);
	}
}

const patternShape = /^\/(.+)\/$/;

// Returns a function that tests whether a name matches TEXT, a substring or /a
// regular expression/; null if TEXT is invalid.
function matcherOf(text) {
	const regular = patternShape.exec(text);

	if (!regular) {
		const part = text.toLowerCase();
		return (name) => name.toLowerCase().includes(part);
	}
	try {
		const pattern = new RegExp(regular[1], 'i');
		return (name) => pattern.test(name);
	} catch {
		return null;
	}
}

// What a search looks at, by the word before the text.
const searchedParts = {
	'dso:': (at) => isCode(at) ? at.dso : '',
	'file:': (at) => at.file,
	'module:': (at) => isCode(at) ? at.module : '',
};

// Returns the word of searchedParts that TEXT starts with; '' if there is none.
function searchedPart(text) {
	return Object.keys(searchedParts).find((at) => text.startsWith(at)) ?? '';
}

// Returns whether TEXT searches with a regular expression, which may take any time.
function hasPattern(text) {
	return patternShape.test(text.slice(searchedPart(text).length));
}

// Returns the functions with a name that matches TEXT, or, if TEXT starts with
// "dso:", "file:" or "module:", with a DSO, source file or module that matches the rest of
// TEXT. Returns null if TEXT is empty or invalid.
function findFunctions(functions, text) {
	const word = searchedPart(text), rest = text.slice(word.length);
	const matches = matcherOf(rest), part = searchedParts[word];

	if (!rest || !matches)
		return null;
	return Uint8Array.from(functions, (at) => {
		const searched = part ? part(at) : at.name;
		return searched !== '' && matches(searched);
	});
}
