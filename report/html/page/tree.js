// SPDX-License-Identifier: GPL-2.0-or-later
// Trees of functions, and sums over trees. In all trees, parents precede their
// children; node 0 is the root.

class Tree {
	// The nodes are in depth-first order.
	constructor(parent, fn) {
		this.n = fn.length;
		this.parent = parent;
		this.fn = fn;
		// for each node: the number behind the last node of its subtree
		this.ends = new Int32Array(this.n);
		const { ends } = this;
		for (let i = this.n - 1; i >= 0; i--) {
			ends[i] ||= i + 1;
			// The last child comes first.
			if (i > 0 && !ends[parent[i]])
				ends[parent[i]] = ends[i];
		}
	}

	get depth() {
		if (!this.depths) {
			this.depths = new Int32Array(this.n);
			for (let i = 1; i < this.n; i++)
				this.depths[i] = this.depths[this.parent[i]] + 1;
		}
		return this.depths;
	}

	childrenOf(node) {
		const { ends } = this, children = [];

		for (let at = node + 1; at < ends[node]; at = ends[at])
			children.push(at);
		return children;
	}

	// Sets the samples of the tree. SELF has the samples of each node without its
	// callees; the tree takes ownership of SELF.
	weigh(self) {
		const total = self.slice();

		for (let i = this.n - 1; i > 0; i--)
			total[this.parent[i]] += total[i];
		this.self = self;
		this.total = total;
		this.own = null;
		return this;
	}

	// Sorts NODES by their samples: the most first.
	sort(nodes) {
		const { total } = this;

		return nodes.sort((a, b) => total[b] - total[a] || a - b);
	}

	// Returns the children of NODE that have samples, the most first.
	shownChildren(node) {
		return this.sort(this.childrenOf(node)
			.filter((child) => this.total[child] > 0));
	}

	// Returns the own samples of each node, including the samples of thread states
	// below the node.
	ownOf(functions) {
		if (this.own)
			return this.own;
		const { fn, parent } = this;
		this.own = this.self.slice();
		for (let i = this.n - 1; i >= 0; i--) {
			if (!isState(functions[fn[i]]))
				continue;
			if (i > 0)
				this.own[parent[i]] += this.own[i];
			this.own[i] = 0;
		}
		return this.own;
	}

	// Returns the node of function FN with the most samples, or -1.
	largestOf(fn) {
		const { fn: all, total } = this;
		let largest = -1;

		for (let i = 1; i < this.n; i++)
			if (all[i] === fn && total[i] > (total[largest] ?? 0))
				largest = i;
		return largest;
	}

	// Returns for each of FUNCTIONS that is of the program, without glue, the samples in
	// itself and in other code that it calls.
	inProgram(functions) {
		const { n, fn, parent, self } = this;
		const sums = new Float64Array(functions.length);
		const inner = new Int32Array(n).fill(-1);

		for (let i = 1; i < n; i++) {
			const { isOwn, isGlue } = functions[fn[i]];
			inner[i] = isOwn && !isGlue ? fn[i] : inner[parent[i]];
			if (inner[i] >= 0)
				sums[inner[i]] += self[i];
		}
		return sums;
	}

	pathOf(node) {
		const path = [];

		for (; node > 0; node = this.parent[node])
			path.push(node);
		return path.reverse();
	}
}

// Returns the name of the thread state NODE with the function that the thread waits in,
// as in "[blocked] in hold_big_lock".
function waitName(tree, node, functions) {
	const { name } = functions[tree.fn[node]], site = tree.sites?.[node] ?? -1;

	return site < 0 ? name : `${name} in ${functions[site].name}`;
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
// TREE has a .pair, the new tree also has a .pair. FIRST replaces the nodes of TOPS.
function growTree(tree, fn, tops, next, first = tops) {
	const parents = [], functions = [], own = [], all = [];
	const sumOf = (weights, nodes) =>
		nodes.reduce((sum, node) => sum + weights[node], 0);
	const least = sumOf(tree.total, tops) * leastShare;
	const open = [{ above: -1, fn, nodes: first, origins: tops }];

	while (open.length) {
		const { above, fn: key, nodes, origins } = open.pop();
		const at = parents.push(above) - 1, groups = new Map();
		const sum = at ? sumOf(tree.total, origins) : Infinity;
		functions.push(key);
		all.push(origins);
		own.push(sum < least ? sum : 0);
		for (let i = 0; sum >= least && i < nodes.length; i++)
			own[at] += next(nodes[i], origins[i], (node, origin) => {
				const below = tree.fn[node];
				let group = groups.get(below);
				if (!group)
					groups.set(below, group = { above: at, fn: below,
						nodes: [], origins: [] });
				group.nodes.push(node);
				group.origins.push(origin);
			});
		for (const group of Array.from(groups.values()).reverse())
			open.push(group);
	}
	const grown = new Tree(Int32Array.from(parents), Int32Array.from(functions));
	grown.weigh(Float64Array.from(own));
	grown.pair = tree.pair?.map(({ total, below }) => ({
		total: all.map((nodes) => sumOf(total, nodes)),
		below: all.map((nodes) => sumOf(below, nodes)) }));
	return grown;
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

// Returns the part of TOTAL, weights of the nodes of TREE with their callees, that is
// not in callees. A thread state is part of the frame above it.
function ownParts(tree, total, functions) {
	const own = total.slice();

	for (let i = 1; i < tree.n; i++)
		if (isState(functions[tree.fn[i]]))
			own[i] = 0;
		else
			own[tree.parent[i]] -= total[i];
	return own;
}

// Returns the inverted TREE: below the root are the functions with own samples, and
// below each function its callers.
function invertTree(tree, functions) {
	const { fn, parent } = tree, own = tree.ownOf(functions), leaves = [];
	const isRoot = -1; // instead of each leaf

	for (let i = 0; i < tree.n; i++)
		if (own[i] > 0)
			leaves.push(i);
	const pair = tree.pair?.map(({ total, below }) => ({
		total: ownParts(tree, total, functions),
		below: ownParts(tree, below, functions) }));
	const inverted = growTree({ fn, total: own, pair }, fn[0], leaves,
		(node, leaf, give) => {
			if (node !== isRoot && parent[node] <= 0)
				return own[leaf];
			give(node === isRoot ? leaf : parent[node], leaf);
			return 0;
		}, leaves.map(() => isRoot));
	// Own samples are those of the innermost functions.
	inverted.own = inverted.total.map((total, node) =>
		inverted.depth[node] === 1 ? total : 0);
	return inverted;
}

// Sums samples for each function: self, including thread states, and total, with
// recursive calls counted once. TREE is in depth-first order.
function addUpFunctions(tree, samples, functions) {
	const n = functions.length;
	const self = new Float64Array(n), total = new Float64Array(n);
	const own = new Float64Array(n), until = new Int32Array(n);
	const states = Uint8Array.from(functions, isState);
	const { ends, fn, parent } = tree;

	for (let i = 0; i < tree.n;) {
		if (!tree.total[i]) {
			i = ends[i];
			continue;
		}
		const owner = states[fn[i]] && i > 0 ? fn[parent[i]] : fn[i];
		self[owner] += tree.self[i];
		own[owner] += samples[i];
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
