// SPDX-License-Identifier: GPL-2.0-or-later
// The boxes (rectangles) of the frames of a graph, row by row from left to right, in
// arrays of numbers. Frames that are too narrow to be visible have one common box beside
// their siblings, whose number of a node is restOf() of their caller.

const leastWidth = 0.4;

// Converts the number of a caller to that of the box of its narrow callees, and back.
const restOf = (node) => -1 - node;

// Rows of boxes. Box I is of frame .node[I] and begins at .x[I]; the boxes of row R
// have the numbers from .starts[R] to before .starts[R + 1].
class BoxRows {
	constructor() {
		this.n = 0;
		this.node = new Int32Array(1024);
		this.x = new Float64Array(1024);
		this.width = new Float64Array(1024);
		this.starts = [0];
		this.above = 0; // number of rows above the zoomed frame
	}

	get rows() {
		return this.starts.length - 1;
	}

	// Grows the arrays for N more boxes.
	need(n) {
		const grown = (array) => {
			const larger = new array.constructor(
				Math.max(array.length * 2, this.n + n));
			larger.set(array);
			return larger;
		};

		if (this.n + n <= this.node.length)
			return;
		this.node = grown(this.node);
		this.x = grown(this.x);
		this.width = grown(this.width);
	}

	add(node, x, width) {
		this.need(1);
		this.node[this.n] = node;
		this.x[this.n] = x;
		this.width[this.n++] = width;
	}

	// Returns the box of frame NODE, or -1.
	boxOf(node) {
		return this.indexOf(node, this.tree.depth[node]);
	}

	endRow() {
		this.starts.push(this.n);
	}

	// Returns the row of box I.
	rowOf(i) {
		return countBefore(this.starts, i + 1) - 1;
	}

	// Returns the index of the box at position X in ROW, or -1.
	find(row, x) {
		let from = this.starts[row] ?? 0, to = this.starts[row + 1] ?? 0;
		const { x: left, width } = this;

		while (from < to) {
			const middle = (from + to) >> 1;
			if (left[middle] <= x)
				from = middle + 1;
			else
				to = middle;
		}
		return from > (this.starts[row] ?? 0) &&
			x < left[from - 1] + Math.max(width[from - 1], 1)
			? from - 1 : -1;
	}

	// Returns the index of the first box of NODE, which is in ROW, or -1.
	indexOf(node, row) {
		const end = this.starts[row + 1] ?? 0;

		for (let i = this.starts[row] ?? end; i < end; i++)
			if (this.node[i] === node)
				return i;
		return -1;
	}
}

// The boxes of a flame graph.
class Boxes extends BoxRows {
	// Each row above the row of node ZOOM has one box of the full WIDTH.
	constructor(trunks, zoom, width) {
		const { tree } = trunks, { parent, total } = tree, path = [];

		super();
		this.tree = tree;
		this.trunks = trunks;
		this.above = trunks.rowOf(zoom);
		if (!total[0])
			return;
		for (let node = zoom; node >= 0; node = trunks.shownAs(parent[node]))
			path.unshift(node);
		for (const node of path) {
			this.add(node, 0, width);
			this.endRow();
		}
		this.scale = width / total[zoom];
		while (this.addRow(this.scale))
			this.endRow();
	}

	// Adds the row below the last row. Returns false if the added row is empty.
	addRow(scale) {
		const { trunks, tree, starts } = this, { total } = tree;
		const end = starts[starts.length - 1];

		for (let i = starts[starts.length - 2]; i < end; i++) {
			const node = this.node[i], wide = [];
			if (node < 0)
				continue;
			let x = this.x[i], rest = 0;
			for (const at of trunks.calleesOf(node))
				if (total[at] * scale >= leastWidth)
					wide.push(at);
				else
					rest += total[at] * scale;
			for (const at of tree.sort(wide)) {
				this.add(at, x, total[at] * scale);
				x += total[at] * scale;
			}
			if (rest >= leastWidth)
				this.add(restOf(node), x, rest);
		}
		return this.n > end;
	}

	boxOf(node) {
		const { trunks } = this, shown = trunks.shownAs(node);

		return this.indexOf(shown, trunks.rowOf(shown));
	}

	// Returns the narrow callees of NODE, which have one box: .n frames with .total.
	narrowOf(node) {
		const { trunks, tree: { total }, scale } = this;
		const narrow = trunks.childrenOf(node)
			.filter((child) => total[child] * scale < leastWidth);

		return { n: narrow.length,
			total: narrow.reduce((sum, child) => sum + total[child], 0) };
	}
}
