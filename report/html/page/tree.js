// SPDX-License-Identifier: GPL-2.0-or-later
// Trees of functions, and sums over trees. In all trees, parents precede their
// children; node 0 is the root.

class Tree {
	constructor(parent, fn) {
		this.n = fn.length;
		this.parent = parent;
		this.fn = fn;
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
	// first.
	arrange(node) {
		const { first, total } = this;

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

// A tree that is being built. Parents are added before their children.
class Growing {
	constructor(fn, room = 1024) {
		this.n = 0;
		this.parent = this.fn = new Int32Array(0);
		this.resize(room);
		this.add(-1, fn);
	}

	// Makes a hash table for ROOM nodes with an open address for each node.
	resize(room) {
		const grown = (array) => {
			const larger = new Int32Array(room);
			larger.set(array.subarray(0, this.n));
			return larger;
		};

		this.parent = grown(this.parent);
		this.fn = grown(this.fn);
		this.mask = 2 ** Math.ceil(Math.log2(2 * room)) - 1;
		this.slots = new Int32Array(this.mask + 1);
		for (let i = 1; i < this.n; i++)
			this.slots[this.slotOf(this.parent[i], this.fn[i])] = i;
	}

	// Returns the slot of the node FN below PARENT: the slot of 0 if there is none.
	slotOf(parent, fn) {
		const { mask, slots } = this;
		let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(fn, 0x85ebca6b);
		let slot = (hash ^ hash >>> 15) & mask;

		for (; slots[slot]; slot = (slot + 1) & mask)
			if (this.parent[slots[slot]] === parent &&
				this.fn[slots[slot]] === fn)
				break;
		return slot;
	}

	add(parent, fn) {
		if (this.n === this.parent.length)
			this.resize(2 * this.n);
		this.parent[this.n] = parent;
		this.fn[this.n] = fn;
		return this.n++;
	}

	find(parent, fn) {
		const slot = this.slotOf(parent, fn);

		if (this.slots[slot])
			return this.slots[slot];
		const n = this.n, isFull = n === this.parent.length;
		const node = this.add(parent, fn);
		this.slots[isFull ? this.slotOf(parent, fn) : slot] = node;
		return node;
	}

	// Returns the tree in depth-first order, and in PLACES for each node of this
	// object its node in the tree.
	done() {
		const { n, parent, fn } = this;
		const size = new Int32Array(n).fill(1), next = new Int32Array(n);
		const places = new Int32Array(n);
		const made = { parent: new Int32Array(n), fn: new Int32Array(n) };

		for (let i = n - 1; i > 0; i--)
			size[parent[i]] += size[i];
		next[0] = 1;
		made.parent[0] = -1;
		made.fn[0] = fn[0];
		for (let i = 1; i < n; i++) {
			const above = parent[i], at = next[above];
			next[above] += size[i];
			next[i] = at + 1;
			places[i] = at;
			made.parent[at] = places[above];
			made.fn[at] = fn[i];
		}
		return { tree: new Tree(made.parent, made.fn), places };
	}
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
	const made = new Growing(fn), pair = new GrownPair(tree.pair);
	const whole = tops.reduce((sum, node) => sum + tree.total[node], 0);
	const open = [{ into: 0, nodes: first, origins: tops }], self = [0];

	pair.add(tops);
	while (open.length) {
		const { into, nodes, origins } = open.pop();
		const groups = new Map();
		nodes.forEach((node, i) => {
			self[into] += next(node, origins[i], (at, origin) => {
				const key = tree.fn[at];
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
			const child = made.add(into, key);
			self.push(0);
			pair.add(group.origins);
			if (group.sum < whole * leastShare)
				self[child] += group.sum;
			else
				open.push({ into: child, ...group });
		}
	}
	const { tree: grown, places } = made.done();
	const placed = (values) => {
		const moved = new Float64Array(grown.n);
		values.forEach((value, i) => {
			moved[places[i]] = value;
		});
		return moved;
	};
	grown.weigh(placed(self));
	grown.pair = pair.sides?.map(({ total, below }) =>
		({ total: placed(total), below: placed(below) }));
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
