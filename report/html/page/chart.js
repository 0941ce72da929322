// SPDX-License-Identifier: GPL-2.0-or-later
// The stack chart: stacks over time, on the axis of the timeline. With one thread
// selected, each sample of the thread lasts until its next sample, and gaps remain
// where the thread had no samples; a time off the CPU has a length of its own.
// Otherwise the chart is divided into columns, each
// with the stacks of all threads in the proportions that they had.

const mergedColumn = 6; // pixels of a column with the stacks of all threads
const samplesPerPixel = 2;
const gapFactor = 2; // a distance of more than this many usual ones is a gap

// Returns the usual (median) distance of the ascending TIMES.
function usualDistance(times) {
	const distances = [];
	const step = Math.max(1, Math.floor(times.length / 1000));

	for (let i = step; i < times.length; i += step)
		distances.push(times[i] - times[i - 1]);
	return distances.sort((a, b) => a - b)[distances.length >> 1] ?? 0;
}

// The boxes of a stack chart.
class TimeBoxes extends BoxRows {
	// STACKS: list of { node, x, end }, in the order of x.
	constructor(tree, stacks) {
		super();
		this.tree = tree;
		this.lists = []; // of each row: its boxes { node, x, end }
		this.open = []; // the boxes of the frames of the current stack
		this.end = 0;
		for (const stack of stacks)
			this.addStack(stack);
		this.close(0);
		for (const boxes of this.lists) {
			for (const { node, x, end } of boxes)
				this.add(node, x, end - x);
			this.endRow();
		}
	}

	// Ends the boxes from ROW on where the last stack ended.
	close(row) {
		for (const box of this.open.splice(row))
			box.end = this.end;
	}

	// Adds the frames of a stack. A frame that continues from the stack before is
	// one box.
	addStack({ node, x, end }) {
		const { open, lists } = this, { depth, parent } = this.tree;
		const added = [];

		if (x - this.end > 0.01)
			this.close(0);
		for (let at = node; at >= 0 && open[depth[at]]?.node !== at;
			at = parent[at])
			added.push(at);
		this.close(depth[node] + 1 - added.length);
		while (added.length) {
			const box = { node: added.pop(), x, end };
			const row = open.push(box) - 1;
			(lists[row] ??= []).push(box);
		}
		this.end = end;
	}
}

// The boxes of the stacks of all threads, in columns.
class ColumnBoxes extends BoxRows {
	// COLUMNS: list of { x, weights }, in the order of x; WEIGHTS is a map from
	// node to weight. A column is WIDE pixels wide.
	constructor(tree, columns, wide) {
		super();
		this.tree = tree;
		this.sums = new Float64Array(tree.n);
		this.lists = [];
		for (const { x, weights } of columns)
			this.addColumn(x, weights, wide);
		for (const boxes of this.lists) {
			for (const { node, x, end } of boxes)
				this.add(node, x, end - x);
			this.endRow();
		}
	}

	addColumn(x, weights, wide) {
		const { sums } = this, { parent } = this.tree;

		for (const [node, weight] of weights)
			for (let at = node; at >= 0; at = parent[at])
				sums[at] += weight;
		if (sums[0] > 0)
			this.addFrames(x, wide);
		for (const node of weights.keys())
			for (let at = node; at >= 0 && sums[at]; at = parent[at])
				sums[at] = 0;
	}

	// Adds the frames of a column from LEFT on. A frame that continues from the
	// column before is one box.
	addFrames(left, wide) {
		const { sums, tree } = this, scale = wide / sums[0];
		const open = [{ node: 0, x: left, end: left + wide }];

		while (open.length) {
			const { node, x, end } = open.pop();
			const list = this.lists[tree.depth[node]] ??= [];
			const last = list[list.length - 1];
			if (last?.node === node && x - last.end < 0.01)
				last.end = end;
			else
				list.push({ node, x, end });
			const below = [];
			let at = x;
			for (const child of tree.childrenOf(node)) {
				const width = sums[child] * scale;
				if (width >= leastWidth)
					below.push({ node: child, x: at, end: at + width });
				at += width;
			}
			open.push(...below.reverse());
		}
	}
}

class StackChart extends Flame {
	// OPTIONS: as of Flame, and axis, onRange(from, to), onDraw(width),
	// onTurn(event, change).
	show(selection, tree, options) {
		this.selection = selection;
		this.drawn = null;
		super.show(tree, { ...options, zoom: 0 });
	}

	makeBoxes() {
		const { selection, tree, width } = this;
		const { axis } = this;

		if (this.drawn && this.drawn.all === width)
			return this.drawn;
		this.drawn = !axis.isThere ? new TimeBoxes(tree, [])
			: selection.threads?.keys.size === 1 && axis.isExact
				? new TimeBoxes(tree, this.stacksOfThread())
				: this.boxesOfAll();
		this.drawn.all = width;
		return this.drawn;
	}

	draw(isOther) {
		super.draw(isOther);
		if (this.width)
			this.onDraw(this.width);
	}

	// Returns the length in slices of the time off the CPU of cell I, or 0.
	// NODE is the node of the cell in the tree.
	waitOf(i, node) {
		const { functions, tree, axis, selection } = this;

		return isState(functions[tree.fn[node]])
			? axis.sliceOf(selection.event.cells.period[i]) : 0;
	}

	// Returns the length in slices of the time in which the time off the CPU of cell
	// I is.
	spanOf(i, node) {
		const span = this.selection.event.cells.spans.get(i);

		return span ? this.axis.sliceOf(span) : this.waitOf(i, node);
	}

	// Calls TAKE with the index and the node in the tree of each visible cell, also
	// of times off the CPU that began before.
	eachCell(take) {
		const { selection, axis } = this, { view } = axis;
		const { slice, task, node: nodes } = selection.event.cells;
		const isIn = selection.tasksInThreads();
		const shown = selection.nodesInState();
		const from = Math.max(view.from, selection.range?.from ?? 0);
		const to = Math.min(view.to, selection.range?.to ?? Infinity);
		const end = countBefore(slice, to), first = countBefore(slice, from);

		for (let i = 0; i < end; i++) {
			const node = selection.places[i];
			if (node >= 0 && isIn[task[i]] && (!shown || shown[nodes[i]]) &&
				(i >= first || slice[i] + this.spanOf(i, node) > from))
				take(i, node);
		}
	}

	// Returns the samples of the selected thread as stacks.
	stacksOfThread() {
		const { axis, width, selection } = this, { view } = axis;
		const { slice } = selection.event.cells;
		const at = [], nodes = [], lasts = [], stacks = [];
		let column = -1;

		this.eachCell((i, node) => {
			at.push(slice[i]);
			nodes.push(node);
			// Times off the CPU have a length. A thread that becomes runnable has
			// its second state at the end of the first one.
			lasts.push(this.waitOf(i, node));
		});
		const usual = usualDistance(at), scale = width / (view.to - view.from);
		for (let i = 1; i < at.length; i++)
			if (lasts[i] && lasts[i - 1] && at[i] < at[i - 1] + lasts[i - 1])
				at[i] = at[i - 1] + lasts[i - 1];
		nodes.forEach((node, i) => {
			const next = at[i + 1] ?? Infinity;
			const x = Math.max(0, (at[i] - view.from) * scale);
			const isGap = next - at[i] > gapFactor * usual;
			const end = lasts[i] ? Math.min(at[i] + lasts[i], next)
				: isGap ? at[i] + usual : next;
			if (Math.floor(x * samplesPerPixel) === column && !isGap)
				return;
			column = Math.floor(x * samplesPerPixel);
			if (stacks.length && stacks[stacks.length - 1].isOpen)
				stacks[stacks.length - 1].end = x;
			stacks.push({ node, x, isOpen: !isGap && !lasts[i],
				end: Math.max(x + 1 / samplesPerPixel,
					Math.min(width, (end - view.from) * scale)) });
		});
		return stacks;
	}

	// Returns the boxes of the stacks of all selected threads.
	boxesOfAll() {
		const { axis, width, selection } = this, { view } = axis;
		const { slice, period } = selection.event.cells;
		const scale = width / (view.to - view.from), columns = new Map();
		const wide = Math.max(mergedColumn, scale);

		const add = (number, node, weight) => {
			let column = columns.get(number);
			if (!column)
				columns.set(number, column =
					{ x: number * wide, weights: new Map() });
			column.weights.set(node,
				(column.weights.get(node) || 0) + weight);
		};

		this.eachCell((i, node) => {
			const from = (slice[i] - view.from) * scale / wide;
			const to = from + this.spanOf(i, node) * scale / wide;
			const last = Math.min(Math.ceil(width / wide) - 1, Math.floor(to));
			// A time off the CPU belongs to all columns that it covers.
			for (let at = Math.max(0, Math.floor(from)); at <= last; at++)
				add(at, node, to > from ? period[i] * (Math.min(to, at + 1) -
					Math.max(from, at)) / (to - from) : period[i]);
		});
		return new ColumnBoxes(this.tree, Array.from(columns.values())
			.sort((a, b) => a.x - b.x), wide);
	}

	turn(event, change) {
		this.onTurn(event, change);
	}

	// Selects the time of box I.
	zoomTo(i) {
		const { x, width } = this.boxes, { axis } = this;
		const [from, to] = [x[i], x[i] + width[i]].map((at) =>
			axis.sliceAt(at / this.width));
		const { slices } = axis.time;

		this.onRange(Math.max(0, Math.floor(from + 1e-6)),
			Math.min(slices, Math.max(Math.floor(from) + 1,
				Math.ceil(to - 1e-6))));
	}

	// Returns the texts about box I: those of its frame, and its time.
	describeBox(i) {
		const { x, width } = this.boxes, { axis } = this;
		const [from, to] = [x[i], x[i] + width[i]].map((at) =>
			axis.text(axis.sliceAt(at / this.width)));

		return [...super.describeBox(i), `${from} s to ${to} s, ${timeText(
			width[i] / this.width * axis.length)}`];
	}

	// The boxes that the arrow keys lead to: in the same row, or above and below.
	movesFrom(i) {
		const { boxes } = this, row = boxes.rowOf(i);
		const middle = boxes.x[i] + boxes.width[i] / 2;
		const within = (at) => at >= boxes.starts[row] &&
			at < boxes.starts[row + 1] ? at : -1;

		return { caller: () => boxes.find(row - 1, middle),
			callee: () => boxes.find(row + 1, boxes.x[i] + 0.01),
			before: () => within(i - 1), after: () => within(i + 1) };
	}
}
