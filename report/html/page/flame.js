// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph on a canvas of the size of its container: only the visible rows are
// drawn, so the size of the graph does not matter. Two elements above the canvas
// mark the frame under the mouse and the focused frame. Arrow keys move from frame
// to frame.

const rowHeight = 19;
const leastTextWidth = 24;
const signWidth = 16; // of the sign that folds a trunk
const leastOutline = 4; // smallest width of an outline
const wheelStep = 0.3; // turn of the wheel that zooms by one step
const wheelPart = 0.9; // largest part of the visible width that a step leaves

// The line of text that describes the focused frame, shared by all graphs.
class StatusLine {
	constructor(box) {
		this.box = box;
	}

	write(flame, lines) {
		this.flame = flame;
		this.box.replaceChildren(...isolated(lines, ', '));
	}

	// Shows a text that is not about a frame.
	tell(text) {
		this.flame = null;
		this.box.textContent = text;
	}
}

class Flame {
	// OPTIONS: colours, functions, describe(tree, node), onZoom(node),
	// onChoose(node), onMenu(node, place, key), onTrunk() folds or opens the trunks,
	// tip, status. If the colours are not
	// the colours of functions: fillOf(tree, node), markOf(tree, node), a text
	// before the name, and keptOf(tree, node), the part of the width, from 0 to 1,
	// that is filled; the rest has only an outline.
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
			const { height, fromRoot = 0 } = this;
			this.measure();
			this.fromRoot = fromRoot;
			if (this.width !== this.drawnWidth) {
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
		onZoomWheel(canvas, (event, change) => this.turn(event, change));
		canvas.addEventListener('mouseleave', () => this.leave());
		canvas.addEventListener('click', (e) => this.click(e,
			(i) => this.clicked(i, e)));
		canvas.addEventListener('dblclick', (e) => this.click(e,
			(i) => this.isTurning || this.zoomTo(i)));
		canvas.addEventListener('contextmenu', (e) => {
			const i = Math.max(0, this.focusedBox);
			e.preventDefault();
			if (e.button === 2 || e.pointerType === 'touch')
				this.click(e, (at) => this.onMenu?.(this.frameOf(at), e));
			else
				this.onMenu?.(this.frameOf(i), this.placeOf(i));
		});
		canvas.addEventListener('keydown', (e) => this.key(e));
	}

	show(tree, { zoom = 0, isIcicle = false, isByHeat = false,
		matches = null, whole = 0,
		trunks = tree.unfolded ??= new Trunks(tree, this.functions) } = {}) {
		const shown = zoom < tree.n && tree.total[zoom] > 0 ? zoom : 0;
		const isOtherTree = tree !== this.tree;
		const isOther = isOtherTree || isIcicle !== this.isIcicle;

		this.isZoomed = shown !== this.zoom;
		this.tree = tree;
		this.zoom = shown;
		Object.assign(this, { isIcicle, isByHeat, matches, whole, trunks });
		this.place.classList.toggle('icicle', isIcicle);
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
			this.status.tell('');
		else
			this.status.write(this, this.describe(tree, this.focus));
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
		const { tree, sheet } = this;

		if (!this.width)
			this.measure();
		if (!tree || !this.width)
			return;
		if (isOther)
			this.fromRoot = 0;
		this.boxes = this.makeBoxes();
		this.drawnWidth = this.width;
		sheet.style.height =
			`${Math.max(1, this.boxes.rows) * rowHeight}px`;
		inTurn(() => {
			this.scrollBack();
			if (this.isZoomed)
				this.bringIntoView(this.boxes.above);
			this.isZoomed = false;
			this.measure();
		}, () => {
			this.drawRows();
			this.placeMark(this.focusMark, this.focusedBox);
		});
	}

	makeBoxes() {
		const { tree, trunks, zoom, width, boxes, laidOut } = this;

		if (boxes?.trunks === trunks && laidOut.total === tree.total &&
			laidOut.width === width && laidOut.zoom === zoom)
			return boxes;
		this.laidOut = { total: tree.total, width, zoom };
		return new Boxes(trunks, zoom, width);
	}

	// Returns the box of the focused frame, or -1.
	get focusedBox() {
		const { boxes, focus } = this;

		return boxes.node[this.focusBox] === focus && this.focusBox < boxes.n
			? this.focusBox : boxes.boxOf(focus);
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
		if (this.keptOf)
			for (const row of rows)
				this.outlineRow(pen, row, this.top(row) - from);
		for (const row of rows)
			this.writeRow(pen, row, this.top(row) - from);
	}

	// Returns whether a frame in the box of NODE matches the search.
	isMatch(node, matches = this.matches) {
		const { trunks, tree: { fn } } = this;

		return matches && (trunks.folded.get(node)?.some((frame) =>
			matches[fn[frame]]) ?? matches[fn[node]]);
	}

	shareOf(node) {
		const { tree, trunks, whole } = this;

		return trunks.ownOf(node) / (whole || tree.total[0]);
	}

	paintRow(row, top) {
		const { boxes, painter, colours, matches } = this;
		const { node, x, width } = boxes, end = boxes.starts[row + 1];
		const match = painter.wordOf(colours.palette.match);

		painter.beginRow();
		for (let i = boxes.starts[row]; i < end; i++) {
			const isMatch = this.isMatch(node[i]);
			const word = painter.wordOf(this.fill(node[i]),
				matches ? !isMatch : row < boxes.above);
			const filled = width[i] * this.keptPart(i);
			if (filled >= leastWidth)
				painter.addBox(x[i], filled, word, isMatch ? match : word);
		}
		painter.endRow(top, rowHeight - 1, 3);
	}

	fill(node) {
		const { tree, trunks, colours, isByHeat } = this;

		if (node < 0)
			return colours.palette.narrow;
		return this.fillOf?.(tree, node) || !isByHeat && trunks.folded.has(node) &&
			colours.palette.narrow || colours.ofFunction(tree.fn[node],
			isByHeat ? this.shareOf(node) : 0, isByHeat);
	}

	// Returns the part of box I that is filled. A narrow box has no room for an
	// outline.
	keptPart(i) {
		const { tree, boxes: { node, width } } = this;
		const kept = node[i] < 0 ? 1 : this.keptOf?.(tree, node[i]) ?? 1;

		return width[i] * (1 - kept) < leastOutline ? 1 : kept;
	}

	// Draws the outlines of the parts of boxes that are not filled.
	outlineRow(pen, row, top) {
		const { boxes, colours: { palette } } = this;
		const { node, x, width } = boxes, end = boxes.starts[row + 1];

		for (let i = boxes.starts[row]; i < end; i++) {
			const kept = this.keptPart(i);
			if (kept === 1)
				continue;
			const place = [x[i] + kept * width[i] + 0.5, top + 0.5,
				(1 - kept) * width[i] - 2, rowHeight - 2];
			pen.strokeStyle = pen.fillStyle =
				this.fill(node[i]) === palette.same ? palette.same
					: palette.gone;
			pen.globalAlpha = 0.1;
			pen.fillRect(...place);
			pen.globalAlpha = 1;
			pen.strokeRect(...place);
		}
	}

	writeRow(pen, row, top) {
		const { boxes, colours, isByHeat, matches } = this;
		const { node, x, width } = boxes, end = boxes.starts[row + 1];

		for (let i = boxes.starts[row]; i < end; i++) {
			if (width[i] < leastTextWidth)
				continue;
			const isDimmed = matches ? !this.isMatch(node[i])
				: row < boxes.above;
			pen.fillStyle = isDimmed || !isByHeat || node[i] < 0 ? colours.palette.text
				: colours.textOn(this.shareOf(node[i]), isByHeat);
			pen.fillText(this.fit(pen, this.nameOf(node[i]), width[i] - 9),
				x[i] + 4, top + rowHeight / 2);
		}
	}

	placeMark(mark, i) {
		const { boxes } = this;

		mark.hidden = i < 0;
		if (i < 0)
			return;
		mark.style.transform = `translate(${boxes.x[i]}px, ${
			this.top(boxes.rowOf(i))}px)`;
		mark.style.width = `${Math.max(2, boxes.width[i] - 1)}px`;
		mark.style.height = `${rowHeight - 1}px`;
	}

	nameOf(node) {
		if (node < 0)
			return countOf(this.boxes.narrowOf(restOf(node)).n, 'frame');
		const at = this.functions[this.tree.fn[node]], { trunks } = this;

		if (trunks.heads.has(node))
			return trunks.folded.has(node) ? `▸ ${trunks.textOf(node)}`
				: `▾ ${fullName(at)}`;
		return (this.markOf?.(this.tree, node) || '') + (isState(at)
			? waitName(this.tree, node, this.functions) : fullName(at));
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

	boxAt(event) {
		const area = this.sheet.getBoundingClientRect();

		return this.boxes ? this.boxes.find(
			this.rowAt(event.clientY - area.top),
			event.clientX - area.left) : -1;
	}

	describeBox(i) {
		const node = this.boxes.node[i];

		return node < 0 ? this.describeNarrow(restOf(node))
			: this.trunks.folded.has(node) ? this.describeTrunk(node)
				: this.describe(this.tree, node);
	}

	// Returns the text for the box of the narrow callees of NODE.
	describeNarrow(node) {
		const { n, total } = this.boxes.narrowOf(node);

		return [`${countOf(n, 'frame')} too narrow to draw`,
			percentText(total, this.whole || this.tree.total[0]),
			`called by ${this.nameOf(node)}`];
	}

	describeTrunk(node) {
		const { trunks } = this;

		return [trunks.textOf(node), ...this.numbersOf(this.tree, node),
			'a click or Enter shows these frames'];
	}

	hover(event) {
		const i = this.boxAt(event), isOther = i !== this.hovered;

		this.target = undefined;
		if (i < 0) {
			this.leave();
			return;
		}
		this.tip.show(event, isOther ? this.describeBox(i) : null);
		if (!isOther)
			return;
		this.hovered = i;
		this.canvas.style.cursor = 'pointer';
		this.placeMark(this.hoverMark, i);
	}

	leave() {
		if (this.hovered >= 0)
			this.tip.hide();
		this.hovered = -1;
		this.canvas.style.cursor = 'default';
		this.hoverMark.hidden = true;
	}

	click(event, then) {
		const i = this.boxAt(event);

		if (i < 0)
			return;
		const at = this.boxes.node[i] < 0 ? this.callerOf(i) : i;
		this.focusOn(at);
		then(at);
	}

	// Returns the box of the frame that calls the narrow frames of box I.
	callerOf(i) {
		const { boxes } = this;

		return boxes.boxOf(restOf(boxes.node[i]));
	}

	// Returns the innermost frame of box I.
	frameOf(i) {
		return this.trunks.framesOf(this.boxes.node[i]).at(-1);
	}

	// Returns whether the mouse is at box I of a folded trunk, or at the sign of an
	// unfolded one.
	isTrunkAt(i, event) {
		const { trunks, boxes, sheet } = this, node = boxes.node[i];
		const x = event.clientX - sheet.getBoundingClientRect().left;

		return trunks.folded.has(node) ||
			trunks.heads.has(node) && x < boxes.x[i] + signWidth;
	}

	// Folds or opens the trunk of box I, or chooses its frame. Further clicks of a double
	// click on a trunk have no effect: another frame is below the mouse.
	clicked(i, event) {
		const isFirst = event.detail < 2;

		if (isFirst)
			this.isTurning = this.isTrunkAt(i, event);
		if (!this.isTurning)
			this.onChoose(this.frameOf(i));
		else if (isFirst)
			this.onTrunk();
	}

	zoomTo(i) {
		this.onZoom(this.boxes.node[i]);
	}

	// Zooms by one step: if CHANGE is below 0, towards the frame below the mouse,
	// which remains the target until the mouse moves; otherwise out.
	turn(event, change) {
		const { tree, trunks, zoom, boxes } = this, { total } = tree;
		const pathOf = (node) => tree.pathOf(node)
			.filter((one) => trunks.shownAs(one) === one);
		const isWider = (node) => total[node] * wheelPart >= total[zoom];

		this.turned = (this.turned ?? 0) + change;
		if (Math.abs(this.turned) < wheelStep)
			return;
		this.turned = 0;
		this.target ??= boxes.node[this.boxAt(event)] ?? 0;
		const inner = this.target < 0 ? restOf(this.target) : this.target;
		const node = change > 0 ? pathOf(zoom).reverse().find(isWider) ?? 0
			: pathOf(inner).find((one) =>
				total[one] <= wheelPart * total[zoom]) ?? inner;
		if (node !== zoom && (change > 0 || total[node] < total[zoom]))
			this.onZoom(node);
	}

	// Makes box I the focused frame, marks the frame, and describes it.
	focusOn(i) {
		this.focusBox = i;
		this.mark(this.boxes.node[i]);
		this.status.write(this, this.describeBox(i));
	}

	// Makes NODE the focused frame, and marks it. ISBROUGHT: the graph scrolls to it if
	// it was not the focused frame, which can be below the mouse.
	mark(node, isBrought = false) {
		const isOther = node !== this.focus;

		this.focus = node;
		if (!this.boxes)
			return;
		this.placeMark(this.focusMark, this.focusedBox);
		if (isBrought && isOther && this.focusedBox >= 0)
			inTurn(() => this.bringIntoView(this.focusedBox), () => {});
	}

	// Returns the boxes that the arrow keys lead to from box I.
	movesFrom(i) {
		const { tree, boxes, trunks } = this, node = boxes.node[i];
		const caller = trunks.shownAs(tree.parent[node]);
		const siblings = node ? trunks.childrenOf(caller) : [0];
		const at = siblings.indexOf(node);
		const box = (to) => to === undefined ? -1 : boxes.boxOf(to);

		return { caller: () => node ? box(caller) : -1,
			callee: () => box(trunks.childrenOf(node)[0]),
			before: () => box(siblings[at - 1]),
			after: () => box(siblings[at + 1]) };
	}

	key(event) {
		const { boxes } = this;
		const i = Math.max(0, this.focusedBox), moves = this.movesFrom(i);
		const arrows = { ArrowUp: this.isIcicle ? 'caller' : 'callee',
			ArrowDown: this.isIcicle ? 'callee' : 'caller',
			ArrowLeft: 'before', ArrowRight: 'after' };

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (moves[arrows[event.key]])
			this.moveTo(moves[arrows[event.key]]());
		else if (event.key === 'Home')
			this.moveTo(0);
		else if (event.key === 'Enter')
			this.trunks.folded.has(boxes.node[i]) ? this.onTrunk() : this.zoomTo(i);
		else if (event.key === ' ')
			this.onChoose(this.frameOf(i));
		else if (event.key === 'Escape')
			this.onZoom(0);
		else if (!this.onMenu?.(this.frameOf(i), this.placeOf(i), event.key))
			return;
		event.preventDefault();
	}

	// Returns the place of box I in the window, for a menu.
	placeOf(i) {
		const { left, top } = this.sheet.getBoundingClientRect();
		const { boxes } = this;

		return { clientX: left + boxes.x[i] + 8,
			clientY: top + this.top(boxes.rowOf(i)) + rowHeight };
	}

	// Moves to the next (STEP 1) or previous (-1) box of a function in MATCHES.
	goToMatch(matches, step) {
		const { boxes } = this;
		let i = this.focusedBox;

		for (let n = 0; n < boxes.n; n++) {
			i = (i + step + boxes.n) % boxes.n;
			if (this.isMatch(boxes.node[i], matches)) {
				this.moveTo(i);
				return;
			}
		}
	}

	moveTo(i) {
		if (i < 0)
			return;
		this.focusOn(i);
		this.bringIntoView(i);
	}

	// Scrolls up or down until box I is visible, if the graph is higher than its
	// container.
	bringIntoView(i) {
		const { place } = this, top = this.top(this.boxes.rowOf(i));

		if (top < place.scrollTop)
			place.scrollTop = top;
		else if (top + rowHeight > place.scrollTop + place.clientHeight)
			place.scrollTop = top + rowHeight - place.clientHeight;
	}
}
