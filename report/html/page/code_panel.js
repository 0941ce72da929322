// SPDX-License-Identifier: GPL-2.0-or-later
// The panel with the code of one function: a table of the instructions with their source
// lines between them, or a table of source lines, or both beside each other. Source code
// is only put into text nodes, never parsed as HTML.

const listings = ['mixed', 'source', 'both', 'file'];

class CodePanel {
	constructor(data, colours, onChoose) {
		this.data = data;
		this.colours = colours;
		this.onChoose = onChoose;
		const bytes = data.sections.get('code');

		this.code = bytes ? readCode(bytes) : null;
		this.hasSourceOf = this.listCoded();
		this.body = byId('code-lines').tBodies[0];
		byId('code-hottest').addEventListener('click',
			() => this.go(this.hottest));
		this.sourcePane = new SourcePane((places, isEntered) =>
			this.goToSource(places, isEntered));
		this.strips = ['code', 'source'].map((name) =>
			new Strip(byId(`${name}-strip`), byId(`${name}-scroll`)));
		new ResizeObserver(() => this.drawStrips()).observe(byId('code-panes'));
		this.body.addEventListener('keydown', (event) => this.key(event));
		this.body.addEventListener('focusin',
			({ target }) => this.mark(target.closest('tr')));
		this.body.addEventListener('mouseover',
			({ target }) => this.light(target.closest('tr')));
		this.body.addEventListener('mouseleave', () => this.light(null));
	}

	// Returns the index of the function whose code the page opens first, or -1.
	get opened() {
		return this.code?.opened ?? -1;
	}

	// Returns a map from each function with instructions or source lines in the page to
	// whether the page has the text of its source lines. An inlined function has those of the functions
	// that contain it.
	listCoded() {
		const { functions } = this.data, hasSource = new Map();
		const inlined = new Map(functions.flatMap(({ name, isInlined }, fn) =>
			isInlined ? [[name, fn]] : []));

		for (const { fn, lines, sources } of this.code?.functions ?? []) {
			const isIn = sources.some(({ text }) => text);
			const names = new Set(lines.flatMap(({ scopes }) =>
				scopes.map(({ name }) => name)));
			const own = [...names].filter((name) => inlined.has(name))
				.map((name) => inlined.get(name));
			for (const one of lines.length || sources.length
				? [fn, ...own] : [])
				hasSource.set(one, isIn || hasSource.get(one));
		}
		return hasSource;
	}

	show(selection, fn, event) {
		if (!this.code)
			return;
		const { range, threads, wanted, dropped } = selection;
		const isAll = selection.isAll && !dropped;
		const shown = JSON.stringify([fn, event, range, threads?.text,
			wanted, dropped,
			dropped && selection.shaped]);

		if (shown === this.shown) {
			this.heats.forEach((share, cell) => this.heat(cell, share));
			this.drawStrips();
			return;
		}
		const isOther = fn !== this.fn;
		this.shown = shown;
		this.fn = fn;
		const own = this.code.functions.filter((code) => code.fn === fn);
		const hosts = own.length || fn < 0 ? [] : this.hosts();
		this.isHosted = hosts.length > 0;
		this.found = [...own, ...hosts]
			.map((code) => new CountedCode(code, event, selection));
		byId('code-part').hidden = isAll || !this.found.some(
			({ isWhole }) => isWhole);
		byId('code-function').textContent = fn < 0 ? ''
			: this.data.functions[fn].name;
		this.explain(selection);
		this.draw();
		if (isOther)
			this.goToHottest();
		this.drawStrips();
	}

	// Scrolls both panes to what is hottest. Beside instructions, the source pane follows
	// the selected instruction.
	goToHottest() {
		centerRow(byId('code-scroll'), this.hottest);
		if (this.listing === 'source' || this.listing === 'file')
			this.sourcePane.goToHottest();
	}

	drawStrips() {
		const marks = [...this.heats ?? []].map(([cell, share]) => ({
			row: cell.parentNode, share, colour: this.colours.ofHeat(share) }))
			.filter(({ row }) => row.offsetHeight)
			.sort((a, b) => a.share - b.share);

		for (const strip of this.strips)
			strip.draw(marks.filter(({ row }) => strip.scroll.contains(row)));
	}

	// Shows the tables of LISTING; an unknown word is as "mixed".
	arrange(listing) {
		byId('code-panes').className =
			listings.includes(listing) ? listing : listings[0];
		byId('work').classList.toggle('wide-code', listing === 'both');
		if (!this.code)
			return;
		const isOther = (listing === 'file') !== (this.listing === 'file');
		this.listing = listing;
		if (isOther)
			this.sourcePane.show(this.makeSources());
		this.mark(this.row);
		this.goToHottest();
		this.drawStrips();
	}

	// --- reasons for an empty panel ---

	explain(selection) {
		const problem = this.isHosted
			? 'This function was inlined. Its instructions are marked in the code of'
			: this.found.map(({ code }) => code.problem).find(Boolean) ??
				(this.found.length ? '' : this.missing(selection));
		const [counted] = this.isHosted ? [] : this.found;
		const total = counted?.total;

		byId('code-problem').textContent = problem;
		byId('code-problem').hidden = !problem;
		byId('code-share').textContent = !counted ? '' : [
			`0x${counted.code.address}`,
			countOf(counted.samples, 'sample') + (total
				? `, ${countText(total.samples)} with callees` : ''),
			...counted.isWhole && !selection.isAll
				? ['of the whole recording, not of the selection'] : [],
		].join(' · ');
	}

	missing(selection) {
		const { fn, code } = this;

		if (fn < 0)
			return 'No function is chosen.';
		if (/^0x[0-9a-f]+$/.test(this.data.functions[fn].name))
			return 'This code has no symbol, so the start of the function is unknown.';
		return code.most ? `This page has the code of the ${countOf(code.most,
			'function')} with the most samples, and of as many with the ` +
			'most samples in callees; for other functions, use dwell annotate.'
			: 'This page contains only the code of the chosen functions.';
	}

	// Returns the code of the functions that contain inlined instructions of the
	// selected function.
	hosts() {
		const { name } = this.data.functions[this.fn];

		return this.code.functions.filter(({ lines }) =>
			lines.some(({ scopes }) => isInScope(scopes, name)));
	}

	// --- rows ---

	draw() {
		this.places = new Map(); // table row -> its instruction or folded instructions
		this.rows = new Map(); // instruction -> its table row
		this.heats = new Map(); // coloured cell -> its share of the samples
		this.hottest = null;
		this.hasTotals = this.found.some(({ total }) => total);
		for (const head of document.querySelectorAll('.listing .total'))
			head.hidden = !this.hasTotals;
		const rows = this.found.flatMap((counted) => this.makeRows(counted));
		this.body.replaceChildren(...rows);
		this.sourcePane.show(this.makeSources());
		byId('code-hosts').replaceChildren(...!this.isHosted ? []
			: this.found.map(({ code: { fn } }) => functionButton(
				this.data.functions[fn], () => this.onChoose(fn))));
		byId('code-scroll').hidden = !rows.length;
		byId('code-hottest').hidden = !this.hottest;
		this.row = null;
		this.marked = [];
		this.mark(this.hottest ?? rows[0]);
	}

	makeRows(counted) {
		const { code } = counted, folds = counted.folds(), rows = [];
		let next = 0;

		counted.lanes = Math.ceil((32 - Math.clz32(code.lines.reduce(
			(all, { arrows }) => all | arrows, 0))) / 2);
		counted.hasLabels = code.lines.some(({ label }) => label);
		if (!code.lines.length)
			return [];
		for (let i = 0; i < code.lines.length; i++) {
			const end = folds.get(i) ?? i + 1, { index } = code.lines[i];
			if (index > next)
				rows.push(this.makeNote(`… ${countOf(index - next,
					'instruction')} without samples aren’t here`));
			if (folds.has(i))
				rows.push(this.makeFold(counted, i, end));
			else
				rows.push(...this.makeLine(counted, i));
			next = code.lines[end - 1].index + 1;
			i = end - 1;
		}
		if (code.n > next)
			rows.push(this.makeNote(`… ${countOf(code.n - next,
				'instruction')} without samples aren’t here`));
		if (code.isCut)
			rows.push(this.makeNote('The rest of the code is not in this page.'));
		return rows;
	}

	// Makes the table row of instruction I: label, arrows and text.
	makeLine(counted, i) {
		const { code } = counted, line = code.lines[i], rows = [];
		const before = code.lines[i - 1], block = counted.blocks.get(line.index);

		if (line.source >= 0 && (line.source !== before?.source ||
			line.inlined !== before.inlined))
			rows.push(this.makeFragment(counted, line,
				counted.fragment(i)));
		if (code.loops.has(line.index))
			rows.push(this.makeLoop(counted, line.index));
		if (block)
			rows.push(this.makeNote(blockText(block)));
		rows.push(this.makeInstruction(counted, line));
		return rows;
	}

	makeInstruction(counted, line) {
		const count = counted.at.get(line.index) ?? noCount;
		const weight = counted.weightAt(line.index);
		const isMine = this.isHosted &&
			isInScope(line.scopes, this.data.functions[this.fn].name);
		const row = this.makeRow(counted.whole, counted.totalAt(line.index),
			count, isMine ? 'instruction mine' : 'instruction');
		const code = element('td', undefined, { class: 'text' });
		const address = BigInt(`0x${counted.code.address}`) +
			BigInt(line.offset);

		if (counted.hasLabels)
			code.append(element('span', line.label ? `L${line.label}` : '',
				{ class: 'label' }));
		code.append(element('span', arrowText(line, counted.lanes),
			{ class: 'arrows', 'aria-hidden': 'true' }),
			line.target >= 0 || line.outside
				? `${line.text.padEnd(6)} ` : line.text);
		if (line.target >= 0)
			code.append(counted.has(line.target)
				? this.makeJump(counted, line)
				: `L${line.targetLabel}`);
		else if (line.outside)
			code.append(element('span', line.outside,
				{ class: 'outside' }));
		row.append(element('td', address.toString(16),
			{ class: 'address wide' }), code);
		this.places.set(row, { counted, line });
		this.rows.set(`${this.found.indexOf(counted)} ${line.index}`, row);
		if (this.isHosted ? isMine && weight > (this.hottest?.weight ?? 0)
			: line.index === counted.hottest && counted === this.found[0]) {
			this.hottest = row;
			row.weight = weight;
		}
		return row;
	}

	makeJump(counted, line) {
		const button = element('button', `L${line.targetLabel}`,
			{ type: 'button', class: 'jump', tabindex: '-1',
				title: 'Go to the jump target' });

		button.addEventListener('click',
			() => this.follow({ counted, line }));
		return button;
	}

	// Makes the table row of the source line of instruction LINE, before it. COUNT and
	// the total are of the instructions that follow the row; the source line can have
	// more instructions elsewhere.
	makeFragment(counted, line, count) {
		const source = counted.code.sources[line.source];
		const own = counted.sources[line.source];
		const all = counted.total?.sources.get(line.source);
		const row = this.makeSource(counted.whole,
			counted.total?.runs.get(line.index) ?? noCount, count, source, [`${baseName(source.file)}:${source.line}`,
				...line.inlined ? [`inlined ${line.inlined}`] : []]);

		if (own.samples || all)
			row.firstChild.title = 'Whole line: ' + [
				...all ? [`total ${percentText(all.period, counted.whole)}`]
					: [], `self ${percentText(own.period,
					counted.whole)}, ${countOf(own.samples, 'sample')}`,
			].join(', ');
		return row;
	}

	// Makes the table row of a source line, with the texts PLACES before its text.
	makeSource(whole, total, count, source, places) {
		const row = this.makeRow(whole, total, count, 'source');
		const cell = element('td', undefined, { class: 'text', colspan: 2 });

		for (const place of places)
			cell.append(element('span', place,
				{ class: 'place', title: source.file }));
		if (source.hasChanged)
			cell.append(element('span', '(?)', { class: 'place',
				title: 'The file can have changed since the recording' }));
		cell.append(element('span', source.text));
		row.append(cell);
		return row;
	}

	// Returns the source lines of the function, or of all its code, each line once:
	// { source, places } with the code and the number of the line in each.
	listSources() {
		const lines = new Map();

		for (const counted of this.found) {
			const { code } = counted, isMine = this.isHosted &&
				linesOfInlined(code, this.data.functions[this.fn].name);
			code.sources.forEach((source, number) => {
				if (isMine && !isMine.has(number))
					return;
				const key = `${source.line} ${source.file}`;
				const at = lines.get(key) ?? { source, places: [] };
				lines.set(key, at);
				at.places.push({ counted, number });
			});
		}
		return [...lines.values()];
	}

	// Makes the table rows of all source lines with a heading for each file, as
	// { row, places }: first the file of the first instruction. With the listing
	// "file", also the other lines of the files.
	makeSources() {
		const lines = this.listSources(), rows = [];
		const files = new Map(lines.map(({ source }) => [source.file, []]));

		for (const line of lines)
			files.get(line.source.file).push(line);
		const [first, ...others] = files.keys();
		for (const file of [first, ...others.sort()].filter(Boolean)) {
			const texts = this.listing === 'file' && this.code.files.get(file);
			rows.push({ row: this.makeNote(file), places: [] },
				...files.get(file).concat(texts ? otherLines(
					file, texts, files.get(file)) : [])
					.sort((a, b) => a.source.line - b.source.line)
					.map((line) => this.makeListed(line)));
		}
		return rows;
	}

	makeListed({ source, places }) {
		const sum = (counts) => counts.reduce((all, one) => ({
			samples: all.samples + one.samples,
			period: all.period + one.period }), noCount);
		const whole = this.found.reduce((all, counted) => all + counted.whole, 0);
		const total = sum(places.map(({ counted, number }) =>
			counted.total?.sources.get(number) ?? noCount));
		const self = sum(places.map(({ counted, number }) =>
			counted.sources[number]));

		return { row: this.makeSource(whole, total, self, source, [source.line]),
			places, weight: total.period || self.period };
	}

	makeLoop(counted, head) {
		const last = counted.code.loops.get(head);
		const row = this.makeRow(counted.whole, noCount, counted.loop(head),
			'note');

		row.append(element('td', `loop of ${countOf(last - head + 1,
			'instruction')}`, { class: 'text', colspan: 2 }));
		return row;
	}

	makeNote(text) {
		const row = this.makeRow(0, noCount, noCount, 'note');

		row.append(element('td', text, { class: 'text', colspan: 2 }));
		return row;
	}

	makeFold(counted, first, end) {
		const row = this.makeRow(0, noCount, noCount, 'note');
		const cell = element('td', undefined, { class: 'text', colspan: 2 });
		const button = element('button', `… ${countOf(end - first,
			'instruction')} without samples`, { type: 'button',
			tabindex: '-1' });

		button.addEventListener('click', () => this.unfold(row));
		cell.append(button);
		row.append(cell);
		this.places.set(row, { counted, first, end });
		return row;
	}

	unfold(row) {
		const { counted, first, end } = this.places.get(row), rows = [];

		for (let i = first; i < end; i++)
			rows.push(...this.makeLine(counted, i));
		this.places.delete(row);
		row.replaceWith(...rows);
		this.drawStrips();
		this.go(rows[0]);
	}

	// Makes a table row with its first cells: TOTAL if there are totals, and COUNT, in
	// percent of WHOLE. A percentage has the same heat colour as in the graphs.
	makeRow(whole, total, { samples, period }, kind) {
		const row = element('tr', undefined, { class: kind, tabindex: '-1' });

		for (const part of this.hasTotals ? [total.period, period] : [period]) {
			const share = whole ? part / whole : 0;
			const cell = element('td', share ? percentText(part, whole) : '',
				{ class: 'number share' });

			if (share && kind !== 'note') {
				this.heats.set(cell, share);
				this.heat(cell, share);
			}
			row.append(cell);
		}
		row.append(element('td', samples ? countText(samples) : '',
			{ class: 'number wide' }));
		return row;
	}

	heat(cell, share) {
		cell.style.background = this.colours.ofHeat(share);
		cell.style.color = this.colours.textOn(share, true);
	}

	// --- the selected row ---

	// Selects the row that the jump of a place leads to.
	follow({ counted, line }) {
		this.go(this.reveal(counted, line.target));
	}

	// Returns the row of instruction INDEX, or undefined.
	rowOf(counted, index) {
		return this.rows.get(`${this.found.indexOf(counted)} ${index}`);
	}

	// Returns the row of instruction INDEX after unfolding the folded rows that
	// contain it.
	reveal(counted, index) {
		if (!this.rowOf(counted, index))
			for (const [row, place] of this.places)
				if (place.end && place.counted === counted &&
					counted.code.lines.slice(place.first, place.end)
						.some((line) => line.index === index))
					this.unfold(row);
		return this.rowOf(counted, index);
	}

	// Selects the instruction with the most samples of the source line in PLACES.
	// ISENTERED: the instruction gets the focus.
	goToSource(places, isEntered) {
		const lines = places.flatMap(({ counted, number }) => counted.code.lines
			.filter((line) => sourcesOf(line).includes(number))
			.map(({ index }) => ({ counted, index })));
		if (!lines.length)
			return;
		const { counted, index } = lines.reduce((best, line) =>
			line.counted.weightAt(line.index) >
				best.counted.weightAt(best.index) ? line : best);
		const row = this.reveal(counted, index);

		if (isEntered) {
			this.go(row);
		} else {
			centerRow(byId('code-scroll'), row);
			this.mark(row);
		}
	}

	// Makes ROW the selected row, which Tab moves to, and highlights the jump of
	// ROW and the jumps to ROW.
	mark(row) {
		if (!row)
			return;
		this.row?.setAttribute('tabindex', '-1');
		row.setAttribute('tabindex', '0');
		this.row = row;
		this.light(null);
		this.markSource(this.places.get(row) ?? {});
	}

	// Marks the source line of an instruction, and all its instructions.
	markSource({ counted, line }) {
		for (const row of this.marked)
			row.classList.remove('of-line');
		this.marked = [];
		this.sourcePane.mark(counted, line ? sourcesOf(line) : []);
		if (!line || line.source < 0)
			return;
		this.marked = counted.code.lines
			.filter(({ source }) => source === line.source)
			.map(({ index }) => this.rowOf(counted, index)).filter(Boolean);
		for (const row of this.marked)
			row.classList.add('of-line');
	}

	// Highlights the jumps of the selected row, and of the row POINTED under the
	// mouse.
	light(pointed) {
		for (const lit of this.lit ?? [])
			lit.classList.remove('from', 'to');
		this.lit = [];
		for (const row of [this.row, pointed])
			this.lightJumps(row);
	}

	lightJumps(row) {
		const { counted, line } = this.places.get(row) ?? {};
		const add = (found, name) => {
			found?.classList.add(name);
			this.lit.push(...found ? [found] : []);
		};

		if (!line)
			return;
		if (line.target >= 0) {
			add(row, 'from');
			add(this.rowOf(counted, line.target), 'to');
		}
		if (!line.label)
			return;
		add(row, 'to');
		for (const other of counted.code.lines)
			if (other.target === line.index)
				add(this.rowOf(counted, other.index), 'from');
	}

	go(row) {
		if (!row)
			return;
		centerRow(byId('code-scroll'), row);
		this.mark(row);
		row.focus({ preventScroll: true });
	}

	key(event) {
		const row = event.target.closest('tr'), { key } = event;
		const place = this.places.get(row);
		const to = rowAfter(this.body, row, key);

		if (key === 'Enter' && event.target === row && place?.end)
			this.unfold(row);
		else if (key === 'Enter' && event.target === row &&
			place?.line.target >= 0)
			this.follow(place);
		else if (!to)
			return;
		else
			to.focus();
		event.preventDefault();
	}
}

function blockText({ entered, taken, notTaken, mispredicted, cycles }) {
	const text = [`entered ${countOf(entered, 'time')}`];

	if (taken || notTaken)
		text.push(`jump taken ${countText(taken)}, not taken ${
			countText(notTaken)}, mispredicted ${countText(mispredicted)}`);
	if (cycles)
		text.push(`${fixedText(cycles, 1)} cycles`);
	return text.join('; ');
}

// Returns the numbers of the source line of an instruction and of the lines at which the
// functions that contain the instruction are inlined.
function sourcesOf({ source, scopes }) {
	return [source, ...scopes.map(({ site }) => site)];
}

function isInScope(scopes, name) {
	return scopes.some((scope) => scope.name === name);
}

// Returns the lines of FILE that are not in LINES. TEXTS has the text of each line, or
// null.
function otherLines(file, texts, lines) {
	const has = new Set(lines.map(({ source }) => source.line));

	return texts.flatMap((text, i) => text === null || has.has(i + 1) ? []
		: [{ source: { file, line: i + 1, text }, places: [] }]);
}
