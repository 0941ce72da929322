// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph on a canvas of the size of its container: only the visible rows are
// drawn, so the size of the graph does not matter. Two elements above the canvas
// mark the frame under the mouse and the focused frame. Arrow keys move from frame
// to frame.

const rowHeight = 19;
const leastTextWidth = 24;

// The line of text that describes the focused frame, shared by all graphs.
class StatusLine {
	constructor(box) {
		this.box = box;
	}

	write(flame, lines) {
		this.flame = flame;
		this.box.replaceChildren(...isolated(lines, ', '));
	}

	clear() {
		this.flame = null;
		this.box.replaceChildren();
	}
}

class Flame {
	// OPTIONS: colours, functions, describe(tree, node), onZoom(node),
	// onChoose(node), tip, status. If the colours are not the colours of functions:
	// fillOf(tree, node), and markOf(tree, node), a text before the name.
	constructor(canvas, options) {
		Object.assign(this, options);
		this.canvas = canvas;
		this.place = canvas.parentNode; // the scrolling container
		this.painter = new Painter(canvas);
		this.hoverMark = element('div', undefined, { class: 'mark' });
		this.focusMark = element('div', undefined, { class: 'mark focused' });
		this.sheet = element('div', undefined, { class: 'sheet' });
		this.place.append(this.sheet);
		this.sheet.append(canvas, this.hoverMark, this.focusMark);
		this.widths = new Map();
		this.zoom = this.focus = 0;
		this.hovered = -1;
		this.listen();
	}

	listen() {
		const { canvas, place } = this;

		new ResizeObserver(() => {
			const { width, height, fromRoot = 0 } = this;
			this.measure();
			this.fromRoot = fromRoot;
			if (this.width !== width) {
				this.draw();
			} else if (this.height !== height) {
				this.scrollBack();
				this.drawRows();
			}
		}).observe(place);
		place.addEventListener('scroll', () => {
			this.measure();
			this.drawRows();
		});
		canvas.addEventListener('mousemove', (e) => this.hover(e));
		canvas.addEventListener('mouseleave', () => this.leave());
		canvas.addEventListener('click', (e) => this.click(e, this.onZoom));
		canvas.addEventListener('dblclick',
			(e) => this.click(e, this.onChoose));
		canvas.addEventListener('keydown', (e) => this.key(e));
	}

	show(tree, { zoom = 0, isIcicle = false, isByHeat = false,
		matches = null, whole = 0 } = {}) {
		const shown = zoom < tree.n && tree.total[zoom] > 0 ? zoom : 0;
		const isOtherTree = tree !== this.tree;
		const isOther = isOtherTree || shown !== this.zoom ||
			isIcicle !== this.isIcicle;

		this.tree = tree;
		this.zoom = shown;
		Object.assign(this, { isIcicle, isByHeat, matches, whole });
		this.keepFocus(isOtherTree);
		this.leave();
		this.draw(isOther);
	}

	// Updates the focus after the tree has changed. The focused frame may not exist
	// any more, and in another tree (ISOTHERTREE) nodes have other numbers.
	keepFocus(isOtherTree) {
		const { tree, focus } = this;
		const isGone = isOtherTree || focus >= tree.n || !tree.total[focus];

		if (isGone)
			this.focus = this.zoom;
		if (this.status.flame !== this)
			return;
		if (isGone)
			this.status.clear();
		else
			this.writeStatus();
	}

	writeStatus() {
		this.status.write(this, this.describe(this.tree, this.focus));
	}

	measure() {
		const { place } = this;

		this.width = place.clientWidth;
		this.height = place.clientHeight;
		this.scrolled = place.scrollTop;
		this.fromRoot = this.isIcicle ? this.scrolled :
			place.scrollHeight - this.height - this.scrolled;
	}

	// Draws the graph. ISOTHER: the tree has changed, so the graph scrolls to the
	// root.
	draw(isOther = false) {
		const { tree, sheet, zoom } = this;

		if (!this.width)
			this.measure();
		if (!tree || !this.width)
			return;
		if (isOther)
			this.fromRoot = 0;
		if (this.boxes?.tree !== tree || this.laidOut !== tree.total ||
			this.boxes.all !== this.width || this.boxes.zoom !== zoom)
			this.boxes = Object.assign(new Boxes(tree, zoom, this.width),
				{ all: this.width, zoom });
		this.laidOut = tree.total;
		sheet.style.height =
			`${Math.max(1, this.boxes.rows) * rowHeight}px`;
		inTurn(() => this.scrollBack(), () => {
			this.drawRows();
			this.placeMark(this.focusMark, this.focus);
		});
	}

	// Scrolls to the previous distance from the root, after the height of the graph
	// has changed.
	scrollBack() {
		const { place, fromRoot } = this;
		const most = place.scrollHeight - place.clientHeight;
		const at = Math.max(0, this.isIcicle ? fromRoot : most - fromRoot);

		if (Math.abs(place.scrollTop - at) >= 1)
			place.scrollTop = at;
		this.measure();
	}

	top(row) {
		return (this.isIcicle ? row : this.boxes.rows - 1 - row) * rowHeight;
	}

	rowAt(y) {
		const line = Math.floor(y / rowHeight);

		return this.isIcicle ? line : this.boxes.rows - 1 - line;
	}

	// Draws the visible rows.
	drawRows() {
		const { painter, boxes, canvas } = this;

		if (!boxes)
			return;
		const from = Math.round(this.scrolled);
		const high = Math.min(Math.max(1, boxes.rows) * rowHeight,
			this.height);
		const ends = [this.rowAt(from), this.rowAt(from + high - 1)];
		const rows = [];
		for (let row = Math.max(0, Math.min(...ends));
			row <= Math.max(...ends) && row < boxes.rows; row++)
			rows.push(row);
		painter.begin(this.width, high, this.colours.palette);
		for (const row of rows)
			this.paintRow(row, this.top(row) - from);
		const pen = painter.end();
		pen.font = getComputedStyle(canvas).font;
		pen.textBaseline = 'middle';
		for (const row of rows)
			this.writeRow(pen, row, this.top(row) - from);
	}

	isMatch(fn) {
		return this.matches && this.matches[fn];
	}

	shareOf(node) {
		const { tree, whole, functions } = this;

		return tree.ownOf(functions)[node] / (whole || tree.total[0]);
	}

	paintRow(row, top) {
		const { tree, boxes, painter, colours, matches, isByHeat } = this;
		const { node, x, width } = boxes, end = boxes.starts[row + 1];
		const match = painter.wordOf(colours.palette.match);

		painter.beginRow();
		for (let i = boxes.starts[row]; i < end; i++) {
			const fn = tree.fn[node[i]], isMatch = this.isMatch(fn);
			const fill = this.fillOf?.(tree, node[i]) ||
				colours.ofFunction(fn,
					isByHeat ? this.shareOf(node[i]) : 0, isByHeat);
			const word = painter.wordOf(fill,
				matches ? !isMatch : row < boxes.above);
			painter.addBox(x[i], width[i], word, isMatch ? match : word);
		}
		painter.endRow(top, rowHeight - 1, 3);
	}

	writeRow(pen, row, top) {
		const { boxes, colours, isByHeat, matches, tree } = this;
		const { node, x, width } = boxes, end = boxes.starts[row + 1];

		for (let i = boxes.starts[row]; i < end; i++) {
			if (width[i] < leastTextWidth)
				continue;
			const isDimmed = matches ? !this.isMatch(tree.fn[node[i]])
				: row < boxes.above;
			pen.fillStyle = isDimmed || !isByHeat ? colours.palette.text
				: colours.textOn(this.shareOf(node[i]), isByHeat);
			pen.fillText(this.fit(pen, this.nameOf(node[i]), width[i] - 9),
				x[i] + 4, top + rowHeight / 2);
		}
	}

	placeMark(mark, node) {
		const i = node >= 0 && this.boxes ? this.boxes.indexOf(node) : -1;

		mark.hidden = i < 0;
		if (i < 0)
			return;
		mark.style.transform = `translate(${this.boxes.x[i]}px, ${
			this.top(this.tree.depth[node])}px)`;
		mark.style.width = `${Math.max(2, this.boxes.width[i] - 1)}px`;
		mark.style.height = `${rowHeight - 1}px`;
	}

	nameOf(node) {
		const name = (this.markOf?.(this.tree, node) || '') +
			this.functions[this.tree.fn[node]].name;

		return this.tree.inlined[node] ? `${name} (inlined)` : name;
	}

	widthOf(pen, text) {
		let width = this.widths.get(text);

		if (width === undefined) {
			width = pen.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	// Returns the start of TEXT that fits in WIDTH, or "".
	fit(pen, text, width) {
		const all = this.widthOf(pen, text);

		if (all <= width)
			return text;
		let n = Math.floor(text.length * width / all);
		while (n > 0 && pen.measureText(text.slice(0, n) + '…').width > width)
			n--;
		return n > 0 ? text.slice(0, n) + '…' : '';
	}

	nodeAt(event) {
		const area = this.sheet.getBoundingClientRect();
		const i = this.boxes ? this.boxes.find(
			this.rowAt(event.clientY - area.top),
			event.clientX - area.left) : -1;

		return i < 0 ? -1 : this.boxes.node[i];
	}

	hover(event) {
		const node = this.nodeAt(event), isOther = node !== this.hovered;

		if (node < 0) {
			this.leave();
			return;
		}
		this.tip.show(event,
			isOther ? this.describe(this.tree, node) : null);
		if (!isOther)
			return;
		this.hovered = node;
		this.canvas.style.cursor = 'pointer';
		this.placeMark(this.hoverMark, node);
	}

	leave() {
		if (this.hovered >= 0)
			this.tip.hide();
		this.hovered = -1;
		this.canvas.style.cursor = 'default';
		this.hoverMark.hidden = true;
	}

	click(event, then) {
		const node = this.nodeAt(event);

		if (node < 0)
			return;
		this.tell(node);
		then(node);
	}

	// Makes NODE the focused frame, and marks the frame.
	tell(node) {
		this.focus = node;
		this.writeStatus();
		this.placeMark(this.focusMark, node);
	}

	key(event) {
		const { tree, focus } = this;
		const up = this.isIcicle ? 'ArrowUp' : 'ArrowDown';
		const down = this.isIcicle ? 'ArrowDown' : 'ArrowUp';
		const siblings = focus ? tree.shownChildren(tree.parent[focus]) : [0];
		const at = siblings.indexOf(focus);
		const moves = {
			[up]: () => tree.parent[focus],
			[down]: () => tree.shownChildren(focus)[0],
			ArrowLeft: () => siblings[at - 1],
			ArrowRight: () => siblings[at + 1],
			Home: () => 0,
		};

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (moves[event.key])
			this.moveTo(moves[event.key]());
		else if (event.key === 'Enter')
			this.onZoom(focus);
		else if (event.key === ' ')
			this.onChoose(focus);
		else if (event.key === 'Escape')
			this.onZoom(0);
		else
			return;
		event.preventDefault();
	}

	moveTo(node) {
		if (node === undefined || node < 0)
			return;
		this.tell(node);
		this.bringIntoView(node);
	}

	// Scrolls up or down until NODE is visible, if the graph is higher than its
	// container.
	bringIntoView(node) {
		const { place } = this;

		if (this.boxes.indexOf(node) < 0)
			return;
		const top = this.top(this.tree.depth[node]);
		if (top < place.scrollTop)
			place.scrollTop = top;
		else if (top + rowHeight > place.scrollTop + place.clientHeight)
			place.scrollTop = top + rowHeight - place.clientHeight;
	}
}
