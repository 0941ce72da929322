// SPDX-License-Identifier: GPL-2.0-or-later
// Trees of functions, and sums over trees. In all trees, parents precede their
// children; node 0 is the root.

class Tree {
	constructor(parent, fn, inlined) {
		this.n = fn.length;
		this.parent = parent;
		this.fn = fn;
		this.inlined = inlined;
		this.isOrdered = false; // true: siblings are in the order of time
		this.listChildren();
	}

	listChildren() {
		const { n, parent } = this;

		this.first = new Int32Array(n + 1);
		for (let i = 1; i < n; i++)
			this.first[parent[i] + 1]++;
		for (let i = 0; i < n; i++)
			this.first[i + 1] += this.first[i];
		const next = this.first.slice();
		this.children = new Int32Array(Math.max(0, n - 1));
		for (let i = 1; i < n; i++)
			this.children[next[parent[i]]++] = i;
		this.depth = new Int32Array(n);
		for (let i = 1; i < n; i++)
			this.depth[i] = this.depth[parent[i]] + 1;
	}

	// Returns, for each node, the number behind the last node of its subtree. The
	// tree is in depth-first order.
	get ends() {
		if (!this.endOf) {
			this.endOf = Int32Array.from(this.fn, (_, i) => i + 1);
			for (let i = this.n - 1; i > 0; i--)
				this.endOf[this.parent[i]] = Math.max(
					this.endOf[this.parent[i]], this.endOf[i]);
		}
		return this.endOf;
	}

	childrenOf(node) {
		return this.children.subarray(
			this.first[node], this.first[node + 1]);
	}

	// Sets the samples of the tree. SELF has the samples of each node without its
	// callees; the tree takes ownership of SELF.
	weigh(self) {
		const total = self.slice();

		for (let i = this.n - 1; i > 0; i--)
			total[this.parent[i]] += total[i];
		this.self = self;
		this.total = total;
		this.order = this.own = null;
		return this;
	}

	// Returns the children array after sorting the children of NODE: the largest
	// first, or by time.
	arrange(node) {
		const { first, total } = this;

		if (this.isOrdered)
			return this.children;
		if (!this.order) {
			this.order = this.children.slice();
			this.isArranged = new Uint8Array(this.n);
		}
		if (!this.isArranged[node] && first[node + 1] - first[node] > 1)
			this.order.subarray(first[node], first[node + 1])
				.sort((a, b) => total[b] - total[a] || a - b);
		this.isArranged[node] = 1;
		return this.order;
	}

	// Returns the children of NODE that have samples.
	shownChildren(node) {
		return Array.from(this.arrange(node).subarray(
			this.first[node], this.first[node + 1]))
			.filter((child) => this.total[child] > 0);
	}

	// Returns the own samples of each node, including the samples of inlined frames
	// and thread states below the node.
	ownOf(functions) {
		if (this.own)
			return this.own;
		const { fn, parent } = this;
		this.own = this.self.slice();
		for (let i = this.n - 1; i >= 0; i--) {
			if (!isPart(functions[fn[i]]))
				continue;
			if (i > 0)
				this.own[parent[i]] += this.own[i];
			this.own[i] = 0;
		}
		return this.own;
	}

	pathOf(node) {
		const path = [];

		for (; node > 0; node = this.parent[node])
			path.unshift(node);
		return path;
	}
}

// A tree that is being built from another tree.
class Growing {
	constructor(fn) {
		this.parent = [-1];
		this.fn = [fn];
		this.inlined = [0];
		this.self = [0];
		this.byKey = new Map();
	}

	add(parent, fn, inlined) {
		this.parent.push(parent);
		this.fn.push(fn);
		this.inlined.push(inlined);
		this.self.push(0);
		return this.fn.length - 1;
	}

	find(parent, fn, inlined) {
		const key = (parent * 0x400000 + fn) * 2 + inlined;
		let node = this.byKey.get(key);

		if (node === undefined) {
			node = this.add(parent, fn, inlined);
			this.byKey.set(key, node);
		}
		return node;
	}

	done() {
		return new Tree(Int32Array.from(this.parent),
			Int32Array.from(this.fn), Uint8Array.from(this.inlined));
	}
}

// Returns a tree in which recursive calls of TREE, direct or indirect, are merged
// into one frame, and for each node of TREE its node in the merged tree.
function mergeRecursion(tree) {
	const merged = new Growing(tree.fn[0]);
	const became = new Int32Array(tree.n);

	for (let i = 1; i < tree.n; i++) {
		const parent = became[tree.parent[i]], fn = tree.fn[i];
		let at = parent;

		while (at > 0 && merged.fn[at] !== fn)
			at = merged.parent[at];
		became[i] = at > 0 ? at
			: merged.find(parent, fn, tree.inlined[i]);
	}
	return { tree: merged.done(), became };
}

function walkOrder(tree) {
	const rank = new Int32Array(tree.n), open = [0];

	for (let at = 0; open.length; at++) {
		const node = open.pop(), children = tree.childrenOf(node);

		rank[node] = at;
		for (let i = children.length; i-- > 0;)
			open.push(children[i]);
	}
	return rank;
}

const timedNodesMax = 400000;

// Returns a tree whose frames are in the order of time. STEPS are maps from node to
// weight, one per time step. A frame that continues in the next step is one frame.
// Returns null if there are too many frames.
function orderByTime(tree, steps) {
	const timed = new Growing(tree.fn[0]), rank = walkOrder(tree);
	const { depth, parent } = tree;
	// for each depth: the current node of TREE, and of TIMED
	const path = [0], open = [0];

	for (const step of steps) {
		const nodes = Int32Array.from(step.keys())
			.sort((a, b) => rank[a] - rank[b]);
		for (const node of nodes) {
			const added = [];
			let at = node;
			while (depth[at] >= path.length || path[depth[at]] !== at) {
				added.push(at);
				at = parent[at];
			}
			path.length = open.length = depth[at] + 1;
			while (added.length) {
				const next = added.pop();
				open.push(timed.add(open[open.length - 1],
					tree.fn[next], tree.inlined[next]));
				path.push(next);
			}
			timed.self[open[open.length - 1]] += step.get(node);
		}
		if (timed.fn.length > timedNodesMax)
			return null;
	}
	const made = timed.done();
	made.isOrdered = true;
	return made.weigh(Float64Array.from(timed.self));
}

// Calls TAKE for the outermost frames of the functions that MATCHES selects;
// selected frames below a selected frame are skipped. TREE is in depth-first order.
function eachOutermost(tree, matches, take) {
	const { ends, fn, total } = tree;

	for (let i = 1; i < tree.n;) {
		if (!total[i]) {
			i = ends[i];
		} else if (matches(fn[i])) {
			take(i);
			i = ends[i];
		} else {
			i++;
		}
	}
}

// A frame with a smaller share is not drawn, so its callees are not computed.
const leastShare = 1 / 4000;

// Makes a tree of callers or callees of FN from the nodes TOPS of TREE. NEXT gives the
// nodes that follow a node, which are grouped by function, and returns the own weight
// of the node. The weight of a frame is the weight of its ORIGIN nodes in TREE. If
// TREE has a .pair, the new tree also has a .pair.
function growTree(tree, fn, tops, next) {
	const made = new Growing(fn), pair = new GrownPair(tree.pair);
	const whole = tops.reduce((sum, node) => sum + tree.total[node], 0);
	const open = [{ into: 0, nodes: tops, origins: tops }];

	pair.add(tops);
	while (open.length) {
		const { into, nodes, origins } = open.pop();
		const groups = new Map();
		nodes.forEach((node, i) => {
			made.self[into] += next(node, origins[i], (at, origin) => {
				const key = tree.fn[at] * 2 + tree.inlined[at];
				let group = groups.get(key);
				if (!group)
					groups.set(key, group =
						{ nodes: [], origins: [], sum: 0 });
				group.nodes.push(at);
				group.origins.push(origin);
				group.sum += tree.total[origin];
			});
		});
		for (const [key, group] of groups) {
			const child = made.add(into, Math.floor(key / 2), key % 2);
			pair.add(group.origins);
			if (group.sum < whole * leastShare)
				made.self[child] += group.sum;
			else
				open.push({ into: child, ...group });
		}
	}
	const grown = made.done().weigh(Float64Array.from(made.self));
	grown.pair = pair.sides;
	return grown;
}

// Sums the weights of the frames of a tree of growTree() in each tree of PAIR,
// which can be empty.
class GrownPair {
	constructor(pair = []) {
		this.from = pair;
		this.sides = pair.length
			? pair.map(() => ({ total: [], below: [] })) : undefined;
	}

	add(origins) {
		this.from.forEach(({ total, below }, i) => {
			const sum = (weights) => origins.reduce(
				(all, node) => all + weights[node], 0);
			this.sides[i].total.push(sum(total));
			this.sides[i].below.push(sum(below));
		});
	}
}

function topsOf(tree, fn) {
	const tops = [];

	eachOutermost(tree, (at) => at === fn, (node) => tops.push(node));
	return tops;
}

function calleesOf(tree, fn) {
	return growTree(tree, fn, topsOf(tree, fn), (node, origin, give) => {
		for (const child of tree.childrenOf(node))
			if (tree.total[child] > 0)
				give(child, child);
		return tree.self[node];
	});
}

function callersOf(tree, fn) {
	return growTree(tree, fn, topsOf(tree, fn), (node, origin, give) => {
		if (tree.parent[node] <= 0)
			return tree.total[origin];
		give(tree.parent[node], origin);
		return 0;
	});
}

// Sums samples for each function: self, including inlined frames, and total, with
// recursive calls counted once. TREE is in depth-first order.
function addUpFunctions(tree, samples, functions) {
	const n = functions.length;
	const self = new Float64Array(n), total = new Float64Array(n);
	const own = new Float64Array(n), until = new Int32Array(n);
	// for each node: the function that its samples count for
	const owner = new Int32Array(tree.n);
	const { ends, fn, parent } = tree;

	for (let i = 0; i < tree.n;) {
		if (!tree.total[i]) {
			i = ends[i];
			continue;
		}
		owner[i] = isPart(functions[fn[i]]) ? owner[parent[i]] : fn[i];
		self[owner[i]] += tree.self[i];
		own[owner[i]] += samples[i];
		if (i >= until[fn[i]]) {
			total[fn[i]] += tree.total[i];
			until[fn[i]] = ends[i];
		}
		i++;
	}
	return { self, total, samples: own };
}

// Returns the sum of the frames of TREE that match; a match below another match is
// not counted again.
function addUpMatches(tree, matches) {
	let sum = 0;

	eachOutermost(tree, (fn) => matches[fn], (node) => {
		sum += tree.total[node];
	});
	return sum;
}
