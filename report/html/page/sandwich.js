// SPDX-License-Identifier: GPL-2.0-or-later
// One function between its callers and its callees, as two graphs and two tables.

const linesAtOnce = 25; // rows of each table that are shown at once
const doubleClickTime = 250; // ms

class Sandwich {
	// OPTIONS: makeFlame(canvas, side), onChoose(fn), shareOf(tree, nodes),
	// sharesOf(fn), noneText(fn, what).
	constructor(data, options) {
		const { makeFlame } = options;

		this.data = data;
		Object.assign(this, options);
		this.callers = makeFlame(byId('callers'), 'callers');
		this.callees = makeFlame(byId('callees'), 'callees');
		this.zooms = { callers: 0, callees: 0 };
	}

	// Shows function FN. ISCOUNTED: the samples have changed. If FN has changed,
	// the graphs start at their root.
	show(selection, fn, isCounted, options) {
		byId('sandwich').hidden = fn < 0;
		byId('no-function').hidden = fn >= 0;
		if (fn < 0)
			return;
		this.options = { ...options, whole: selection.whole };
		if (fn === this.fn && !isCounted) {
			this.draw();
			return;
		}
		if (fn !== this.fn) {
			this.zooms = { callers: 0, callees: 0 };
			this.isLong = {};
		}
		this.fn = fn;
		const { dso } = this.data.functions[fn];
		const total = selection.functions.total[fn];
		byId('chosen').textContent = fullName(this.data.functions[fn]);
		byId('chosen-share').replaceChildren(...isolated(
			[dso, ...this.sharesOf(fn)].filter(Boolean), ' · '));
		this.trees = { callers: callersOf(selection.plain, fn),
			callees: calleesOf(selection.plain, fn) };
		this.draw();
		this.list('callers', total);
		this.list('callees', total);
	}

	// Selects FN, unless the click becomes a double click: the graphs of FN have
	// other frames below the mouse.
	chooseSoon(fn) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.onChoose(fn), doubleClickTime);
	}

	zoom(side, node) {
		clearTimeout(this.timer);
		this.zooms[side] = node;
		this.draw();
	}

	draw() {
		if (!this.trees)
			return;
		for (const side of ['callers', 'callees'])
			this[side].show(this.trees[side], { ...this.options,
				isIcicle: side === 'callees', zoom: this.zooms[side] });
	}

	// Returns a table row: WEIGHT as a percentage of TOTAL, the text SHARE, and
	// NAME, which is a text or a button.
	makeLine(weight, total, share, name) {
		const line = element('tr');
		const cell = element('th', undefined, { scope: 'row', class: 'text' });

		cell.append(name);
		line.append(percentCell(weight, total),
			element('td', share, { class: 'number' }), cell);
		return line;
	}

	list(side, total) {
		const tree = this.trees[side], nodes = tree.shownChildren(0);
		const shown = nodes.length > linesAtOnce + 1 && !this.isLong[side]
			? nodes.slice(0, linesAtOnce) : nodes;
		const lines = shown.map((node) => {
			const fn = tree.fn[node], at = this.data.functions[fn];
			return this.makeLine(tree.total[node], total,
				this.shareOf(tree, [node]), isCode(at)
					? functionButton(at, () => this.onChoose(fn))
					: element('bdi', at.name));
		});
		const others = nodes.slice(shown.length);
		if (others.length)
			lines.push(this.makeLine(others.reduce(
				(sum, node) => sum + tree.total[node], 0), total,
			this.shareOf(tree, others),
			functionButton({ name: `${others.length} others` }, () => {
				this.isLong[side] = true;
				this.list(side, total);
			})));
		replaceIn(byId(`${side}-rows`), lines);
		byId(`no-${side}`).textContent = this.noneText(this.fn, side);
		byId(`no-${side}`).hidden = lines.length > 0;
	}
}
