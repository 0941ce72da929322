// SPDX-License-Identifier: GPL-2.0-or-later
// A table of functions, sortable by each column.

const rowsAtOnce = 50;
const nameLength = 70; // letters of a name; the middle of a longer name is cut
const levelTitles = { k: 'kernel', g: 'guest kernel', u: 'guest', H: 'hypervisor' };

// Returns a cell with TEXT. HAD, if given, is an existing element that is reused;
// HAD has this meaning in all functions of this file.
function textCell(text, had) {
	if (!had)
		return element('td', text, { class: 'number' });
	if (had.firstChild.data !== text)
		had.firstChild.data = text;
	return had;
}

function percentCell(part, whole, had) {
	return barCell(percentText(part, whole), part, whole, had);
}

function barCell(text, part, whole, had) {
	const cell = textCell(text, had);

	if (!had)
		cell.append(element('span', undefined, { class: 'bar' }));
	cell.lastChild.style.width =
		`${Math.min(100, whole ? 100 * part / whole : 0)}%`;
	return cell;
}

// Returns a button that selects a function.
function functionButton(at, onClick) {
	const button = element('button', shortText(fullName(at), nameLength),
		{ type: 'button', class: 'name', title: at.name });

	button.addEventListener('click', onClick);
	return button;
}

function dsoCell(row) {
	const cell = element('td', undefined, { class: 'text dso' });

	if (row.isGuessed)
		cell.append(element('span', 'no symbol', { class: 'level',
			title: guessText(row) }));
	if (isJit(row))
		cell.append(element('span', 'JIT', { class: 'level',
			title: 'code that a runtime compiled' }));
	if (row.level !== '.')
		cell.append(element('span', row.level, { class: 'level',
			title: levelTitles[row.level] ?? '' }));
	cell.append(row.dso);
	return cell;
}

// A column has a VALUE, sorted largest first, or a TEXT that is constant for a
// function, and CELL makes the cell of a row. The cell of the name is the heading
// of the row.
const nameColumns = {
	name: { title: 'Function', text: (row) => row.name,
		cell: (row, table) => {
			const head = element('th', undefined,
				{ scope: 'row', class: 'text' });
			head.append(functionButton(row, () => table.onChoose(row.fn)));
			return head;
		} },
	dso: { title: 'Program or library', text: (row) => row.dso,
		cell: dsoCell },
};

const tableColumns = {
	total: { title: 'Total', value: (row) => row.total,
		cell: (row, { whole }, had) => percentCell(row.total, whole, had) },
	self: { title: 'Self', value: (row) => row.self,
		cell: (row, { whole }, had) => percentCell(row.self, whole, had) },
	samples: { title: 'Samples', value: (row) => row.samples,
		cell: (row, table, had) => textCell(countText(row.samples), had) },
	...nameColumns,
};

class Table {
	constructor(table, state, onChoose, onMenu, columns = tableColumns) {
		Object.assign(this, { table, state, onChoose });
		table.tBodies[0].addEventListener('contextmenu', (event) => {
			event.preventDefault();
			onMenu(this.functionAt(event), event);
		});
		table.tBodies[0].addEventListener('click', (event) => {
			if (!event.target.closest('button'))
				onChoose(this.functionAt(event));
		});
		this.columns = columns;
		this.most = rowsAtOnce;
		this.lines = new Map(); // function -> its table row, if displayed
		byId('more').addEventListener('click', () => {
			this.most *= 5;
			this.draw();
		});
		this.makeHead();
	}

	functionAt({ target }) {
		const line = target.closest('tr');

		return Array.from(this.lines).find(([, row]) => row === line)[0];
	}

	makeHead() {
		const line = element('tr');

		this.shown = Object.entries(this.columns)
			.filter(([, { title }]) => title);
		this.heads = this.shown.map(([key, { title, text }]) => {
			const head = element('th', undefined, { scope: 'col',
				class: text ? 'text' : 'number' });
			const button = element('button', title, { type: 'button' });
			button.addEventListener('click', () => this.sortBy(key));
			head.append(button);
			line.append(head);
			return [key, head];
		});
		this.table.tHead.replaceChildren(line);
	}

	// Sorts by column KEY. If the table is already sorted by KEY, the order is
	// reversed.
	sortBy(key) {
		this.state.set({ sort: this.state.get('sort') === key
			? `-${key}` : key }, false);
	}

	show(selection, matches, chosen) {
		this.whole = selection.whole;
		this.chosen = chosen;
		this.rows = [];
		selection.data.functions.forEach((at, fn) => {
			const row = isCode(at) && (!matches || matches[fn])
				? selection.rowOf(fn) : null;
			if (row)
				this.rows.push(row);
		});
		this.draw();
	}

	sortRows() {
		const word = this.state.get('sort'), isBack = word[0] === '-';
		const key = isBack ? word.slice(1) : word;
		const { value, text } = this.columns[Object.hasOwn(this.columns, key)
			? key : this.state.defaults.sort];
		const sign = isBack ? -1 : 1;

		this.rows.sort((a, b) => sign * (value ? value(b) - value(a)
			: text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) ||
			a.fn - b.fn);
		for (const [name, head] of this.heads)
			head.setAttribute('aria-sort', name !== key ? 'none'
				: (value ? isBack : !isBack) ? 'ascending'
					: 'descending');
	}

	draw() {
		this.sortRows();
		const shown = this.rows.slice(0, this.most);
		const chosen = this.rows.slice(this.most)
			.filter(({ fn }) => fn === this.chosen);
		this.lines = new Map([...shown, ...chosen].map((row) =>
			[row.fn, this.lineOf(row, this.lines.get(row.fn))]));
		arrangeIn(this.table.tBodies[0], Array.from(this.lines.values()));
		byId('more').hidden = shown.length === this.rows.length;
		byId('more').textContent =
			`Show more of ${countText(this.rows.length)} functions`;
		byId('rows').textContent = countOf(this.rows.length, 'function');
	}

	bringIntoView(fn) {
		this.lines.get(fn)?.scrollIntoView({ block: 'nearest' });
	}

	// Returns the table row of ROW. A displayed row (HAD) is reused, because a new
	// table row also needs a new layout.
	lineOf(row, had) {
		const line = had ?? element('tr');

		if (row.fn === this.chosen)
			line.setAttribute('aria-current', 'true');
		else
			line.removeAttribute('aria-current');
		this.shown.forEach(([, { cell, text }], i) => {
			if (!had)
				line.append(cell(row, this));
			else if (!text)
				cell(row, this, had.children[i]);
		});
		return line;
	}
}
