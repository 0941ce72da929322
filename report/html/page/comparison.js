// SPDX-License-Identifier: GPL-2.0-or-later
// Compares recordings: the samples of the first recording, A, with the samples of
// another recording, B, and the error of the difference.
// report/export/export_difference.c describes the layout of the data.

const measures = ['share', 'period', 'rate'];
// Half of the 95 % confidence interval, in standard errors.
const errorsOf95 = 1.959964;
// Limits of the differences, relative to the total, from which on a stronger colour
// is used.
const changeSteps = [0.005, 0.02, 0.1];

function readDoubt(bytes) {
	return { event: bytes.number(), nodes: bytes.part(), self: bytes.part(),
		total: bytes.part() };
}

function readRecordings(bytes, events) {
	const made = { measure: measures[bytes.number()],
		list: bytes.list(() => ({ name: bytes.text(),
			ns: bytes.number() })) };

	for (const event of events)
		Object.assign(event, { recording: bytes.number(),
			what: bytes.number(), headline: bytes.text() });
	made.folded = bytes.text();
	for (const doubt of bytes.list(() => readDoubt(bytes)))
		events[doubt.event].doubt = doubt;
	return made;
}

function hasBit(bits, i) {
	return (bits[i >> 3] >> (i & 7) & 1) === 1;
}

// The selected samples of one side of the comparison: recording A or B.
class Side extends Selection {
	constructor(comparison, isFirst) {
		super(comparison.data, comparison.state);
		this.comparison = comparison;
		this.isFirst = isFirst;
	}

	get number() {
		return this.isFirst ? 0 : this.comparison.other;
	}

	get recording() {
		return this.data.recordings.list[this.number];
	}

	// The facts of each recording begin with its file.
	get facts() {
		const { facts } = this.data;
		const starts = facts.flatMap(([name], i) => name === 'File' ? i : []);

		return facts.slice(starts[this.number], starts[this.number + 1]);
	}

	// The trees of both sides have equal nodes, so they are not grouped by threads.
	get groups() {
		return null;
	}

	// The page has no choice of states.
	get wanted() {
		return undefined;
	}

	// Returns the compared event of this recording. If the recording does not have
	// the event, the event has no samples.
	get event() {
		const { events } = this.data, { what } = this.comparison;
		const is = (event) => event.what === what;

		return events.find((event) => is(event) &&
			event.recording === this.number) ||
			{ ...events.find(is), samples: 0, period: 0, lost: 0,
				totals: [], lanes: [], doubt: undefined,
				cells: { n: 0, slice: [], task: [], node: new Int32Array(0),
					samples: [], period: [] } };
	}

	count() {
		super.count();
		this.sumSquares();
		this.countBelow(this.plain);
		this.functions.below = addUpFunctions({ ...this.plain,
			ends: this.plain.ends, self: this.samplesAt,
			total: this.plain.below }, this.samplesAt,
		this.data.functions).total;
	}

	// Computes .squares, the sum of the squared periods of all samples, with equal
	// periods assumed within each function.
	sumSquares() {
		const { self, samples } = this.functions;
		const rest = { period: this.whole, samples: this.event.samples };

		this.squares = self.reduce((sum, period, fn) => {
			rest.period -= period;
			rest.samples -= samples[fn];
			return samples[fn] ? sum + period ** 2 / samples[fn] : sum;
		}, 0);
		if (rest.samples > 0)
			this.squares += rest.period ** 2 / rest.samples;
	}

	// Returns the number of samples at and below each node of TREE.
	countBelow(tree, became) {
		const below = new Float64Array(tree.n);

		this.samplesAt.forEach((samples, node) => {
			below[became ? became[node] : node] += samples;
		});
		for (let i = tree.n - 1; i > 0; i--)
			below[tree.parent[i]] += below[i];
		tree.below = below;
	}

	tree() {
		const tree = super.tree();

		if (tree !== this.plain)
			this.countBelow(tree, this.merged.became);
		return tree;
	}

	// Returns the compared value (share, period or rate) of a frame or function
	// with PERIOD.
	valueOf({ period }) {
		const { measure } = this.data.recordings;

		if (measure === 'share')
			return this.whole ? 100 * period / this.whole : 0;
		return measure === 'rate' ? period * 1e9 / this.recording.ns : period;
	}

	// Returns the standard error of valueOf(). A frame or function without samples
	// counts as one sample.
	errorOf({ samples, period }) {
		const { event } = this, n = Math.max(1, samples);
		const mean = samples ? period / samples
			: event.samples ? event.period / event.samples : 0;

		if (!this.whole)
			return 0;
		if (this.data.recordings.measure !== 'share')
			return this.valueOf({ period: mean * Math.sqrt(n) });
		const share = Math.min(1, mean * n / this.whole);
		const squares = mean * mean * n;
		const others = Math.max(0, this.squares - squares);
		return 100 * Math.sqrt((1 - share) ** 2 * squares +
			share ** 2 * others) / this.whole;
	}
}

// Both sides of the comparison. Has the interface of a Selection: the samples are the
// compared values (share, period or rate) that set the widths of frames.
class Comparison {
	constructor(data, state) {
		this.data = data;
		this.state = state;
		this.sides = [new Side(this, true), new Side(this, false)];
		this.range = this.threads = null;
		this.isAll = true;
		// Events of the first recording that another recording also has.
		this.whats = data.events.filter(({ recording, what }) =>
			!recording && data.events.some((at) => at.recording &&
				at.what === what));
	}

	get other() {
		const n = this.data.recordings.list.length;

		return this.state.number('with', n - 1, n) || n - 1;
	}

	get what() {
		const wanted = this.state.number('event', 0, Infinity);

		return (this.whats.find(({ what }) => what === wanted) ||
			this.whats[0]).what;
	}

	// Returns the number of the side whose numbers are shown where there is room for
	// only one.
	get numbered() {
		return this.state.get('widths') === 'a' ? 0 : 1;
	}

	get event() {
		return this.sides[this.numbered].event;
	}

	count() {
		const { sides, data } = this;

		for (const side of sides)
			side.count();
		const [, { plain, samples, transforms }] = sides;
		Object.assign(this, { samples, transforms });
		this.plain = this.widen(sides.map((side) => side.plain));
		this.functions = addUpFunctions(this.plain,
			new Float64Array(plain.n), data.functions);
		this.whole = this.plain.total[0];
		this.doubt = this.transforms.length ? undefined
			: sides[1].event.doubt;
		this.most = Math.max(...sides.map((side) =>
			side.valueOf({ period: side.whole })));
	}

	// Returns the tree of the chosen widths. In its .pair are the trees of both sides,
	// which have equal nodes. With the widths of both sides, the own value of a frame
	// is the larger one of both.
	widen(pair) {
		const values = pair.map(({ self }, i) => self.map((period) =>
			this.sides[i].valueOf({ period })));
		const [a, b] = values;
		const tree = Object.assign(new Tree(pair[0].parent, pair[0].fn), { pair,
			sites: pair[0].sites?.map((site, i) =>
				site < 0 ? pair[1].sites[i] : site) });

		return tree.weigh({ __proto__: null, a, b }[this.state.get('widths')] ??
			a.map((value, i) => Math.max(value, b[i])));
	}

	// Returns the part of the width of a frame that B has, from 0 to 1.
	keptOf(tree, node) {
		const period = tree.pair[1].total[node], width = tree.total[node];

		return width ? Math.min(1, this.sides[1].valueOf({ period }) / width) : 1;
	}

	// Returns the tree to draw.
	tree() {
		const pair = this.sides.map((side) => side.tree());
		const isPlain = pair[1] === this.sides[1].plain;
		const tree = isPlain ? this.plain : this.widen(pair);

		tree.noise = tree === this.plain && !this.transforms.length &&
			this.doubt && this.doubt.nodes;
		return tree;
	}

	// Returns the change of a frame or function. PARTS has its samples and period
	// in both recordings.
	changeOf(parts, noise, i) {
		const values = this.sides.map((side, at) => side.valueOf(parts[at]));
		const error = errorsOf95 * Math.hypot(...this.sides
			.map((side, at) => side.errorOf(parts[at])));
		const delta = values[1] - values[0];
		const isNoise = noise ? hasBit(noise, i) : Math.abs(delta) <= error;
		const size = this.most ? Math.abs(delta) / this.most : 0;
		const step = changeSteps.filter((least) => size >= least).length + 1;

		return { parts, values, delta, error, isNoise,
			level: isNoise || !delta ? 0 : Math.sign(delta) * step };
	}

	changeOfNode(tree, node) {
		return this.changeOf(tree.pair.map((side) => ({
			samples: side.below[node], period: side.total[node] })),
		tree.noise, node);
	}

	valueText(value) {
		const { event } = this;

		return { share: () => `${fixedText(value, 2)} %`,
			period: () => weightText(value, event),
			rate: () => `${weightText(value, event)}/s`,
		}[this.data.recordings.measure]();
	}

	// Returns a difference and its 95 % error as text.
	deltaText({ delta, error }) {
		return `${delta < 0 ? '−' : '+'}${this.valueText(Math.abs(delta))} ±${
			this.valueText(error)}`;
	}

	linesOf(change) {
		const isWeight = this.data.recordings.measure === 'period';
		const [a, b] = change.values.map((value, i) =>
			`${'AB'[i]} ${this.valueText(value)}${isWeight ? '' : ` (${
				weightText(change.parts[i].period, this.event)})`}`);

		return [`${a} → ${b}`,
			`${this.deltaText(change)}: ${verdictOf(change)}`];
	}

	rowOf(fn) {
		const both = this.sides.map(({ functions }) => functions);
		const doubt = this.doubt || {};

		if (!both.some(({ total }) => total[fn] > 0))
			return null;
		return { ...this.data.functions[fn], fn,
			self: this.changeOf(both.map((at) => ({
				samples: at.samples[fn], period: at.self[fn],
				total: at.total[fn] })),
			doubt.self, fn),
			total: this.changeOf(both.map((at) => ({
				samples: at.below[fn], period: at.total[fn] })),
			doubt.total, fn) };
	}
}
