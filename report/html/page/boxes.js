// SPDX-License-Identifier: GPL-2.0-or-later
// Computes the boxes (rectangles) of a flame graph's frames: row by row, from left
// to right, in arrays of numbers. Frames that are too narrow to be visible have no
// box.

const leastWidth = 0.4;

class Boxes {
	// Each row above the row of node ZOOM has one box of the full WIDTH.
	constructor(tree, zoom, width) {
		const { depth, parent, total } = tree;

		this.tree = tree;
		this.n = 0;
		this.node = new Int32Array(1024);
		this.x = new Float32Array(1024);
		this.width = new Float32Array(1024);
		this.above = depth[zoom];
		this.rows = total[0] ? this.above + 1 : 0;
		this.starts = Array.from({ length: this.rows + 1 }, (_, i) => i);
		if (!this.rows)
			return;
		this.need(this.rows);
		for (let node = zoom; node >= 0; node = parent[node]) {
			this.node[depth[node]] = node;
			this.width[depth[node]] = width;
		}
		this.n = this.rows;
		for (const scale = width / total[zoom]; this.addRow(scale);)
			this.starts.push(this.n);
		this.rows = this.starts.length - 1;
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

	// Adds the row below the last row. Returns false if the added row is empty.
	addRow(scale) {
		const { tree, starts } = this, { first, total } = tree;
		const end = starts[starts.length - 1];

		for (let i = starts[starts.length - 2]; i < end; i++) {
			const node = this.node[i], order = tree.arrange(node);
			let x = this.x[i];
			this.need(first[node + 1] - first[node]);
			for (let k = first[node]; k < first[node + 1]; k++) {
				const width = total[order[k]] * scale;
				if (width >= leastWidth) {
					this.node[this.n] = order[k];
					this.x[this.n] = x;
					this.width[this.n++] = width;
				} else if (!tree.isOrdered) {
					break;
				}
				x += width;
			}
		}
		return this.n > end;
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

	// Returns the index of the box of NODE, or -1.
	indexOf(node) {
		const row = this.tree.depth[node];
		const end = this.starts[row + 1] ?? 0;

		for (let i = this.starts[row] ?? end; i < end; i++)
			if (this.node[i] === node)
				return i;
		return -1;
	}
}
