// SPDX-License-Identifier: GPL-2.0-or-later
// The trunks of a tree: the frames that nearly all stacks of the tree, or of a group,
// begin with, up to a fork. Frames that lead to a leaf without a fork are no trunk. A
// folded trunk is one box of the flame graph and one line of the call tree, of the
// outermost frame. Calls from the other frames of the trunk stand beside the calls from
// its innermost frame, so that all samples remain visible.

const trunkLeast = 5; // frames
const trunkShare = 0.9; // least share of a frame in its caller, and of its callees in it
const trunkWidth = 0.05; // least share of the whole tree

class Trunks {
	constructor(tree, functions) {
		Object.assign(this, { tree, functions });
		this.folded = new Map(); // outermost frame -> frames, of folded trunks
		this.hidden = new Map(); // other frame of a folded trunk -> outermost frame
		this.heads = new Set(); // outermost frames of all trunks
	}

	// Returns the largest callee of NODE, or -1.
	largest(node) {
		const { total } = this.tree;

		return this.tree.childrenOf(node).reduce((best, child) =>
			total[child] > (total[best] ?? 0) ? child : best, -1);
	}

	// Finds the trunks, and folds them if ISFOLDED, except that of the frame ZOOM.
	// Returns this object.
	find(isFolded, zoom) {
		const { tree, tree: { fn, total }, functions } = this;
		const open = [0];

		while (open.length) {
			for (const node of tree.childrenOf(open.pop())) {
				if (total[node] < trunkWidth * total[0])
					continue;
				if (functions[fn[node]].isGroup)
					open.push(node);
				else
					this.follow(node, isFolded, zoom);
			}
		}
		return this;
	}

	// Adds the trunk from HEAD on, if it has enough frames and ends at a fork.
	follow(head, isFolded, zoom) {
		const { tree, tree: { total } } = this, frames = [];
		const own = tree.ownOf(this.functions);

		let at = head, before = head;

		while (at >= 0 && total[at] >= trunkShare * total[before] &&
			own[at] <= (1 - trunkShare) * total[at]) {
			frames.push(at);
			before = at;
			at = this.largest(at);
		}
		if (frames.length < trunkLeast || total[at] >= trunkShare * total[before])
			return;
		this.heads.add(head);
		if (!isFolded || frames.indexOf(zoom) > 0)
			return;
		this.folded.set(head, frames);
		for (const frame of frames.slice(1))
			this.hidden.set(frame, head);
	}

	// Returns the row of the box of NODE.
	rowOf(node) {
		let row = 0;

		for (let at = node; at > 0; at = this.tree.parent[at])
			row += this.hidden.has(at) ? 0 : 1;
		return row;
	}

	// Returns the node whose box NODE is in.
	shownAs(node) {
		return this.hidden.get(node) ?? node;
	}

	// Returns the frames in the box of NODE, the outermost first.
	framesOf(node) {
		return this.folded.get(node) ?? [node];
	}

	// Returns the callees of the box of NODE.
	calleesOf(node) {
		const { tree } = this;

		return this.folded.get(node)?.flatMap((frame) => tree.childrenOf(frame))
			.filter((child) => !this.hidden.has(child)) ?? tree.childrenOf(node);
	}

	// Returns the callees of the box of NODE that have samples, the largest first.
	childrenOf(node) {
		return this.tree.sort(this.calleesOf(node)
			.filter((child) => this.tree.total[child] > 0));
	}

	// Returns the own samples of the box of NODE.
	ownOf(node) {
		const own = this.tree.ownOf(this.functions);

		return this.framesOf(node).reduce((sum, frame) => sum + own[frame], 0);
	}

	// Returns the text of the box of a trunk, or "" for other frames.
	textOf(node) {
		const frames = this.folded.get(node);
		const [first, last] = [frames?.[0], frames?.at(-1)]
			.map((frame) => this.functions[this.tree.fn[frame]]?.name);

		return !frames ? '' : `${frames.length} frames: ${first} … ${last}`;
	}
}
