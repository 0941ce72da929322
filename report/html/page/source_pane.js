// SPDX-License-Identifier: GPL-2.0-or-later
// The pane with the source lines of a function, which can stand beside the pane of its
// instructions: selecting a row in one pane selects its counterpart in the other.

class SourcePane {
	// ONSELECT(places, isEntered) is called when the user selects the source line that
	// has PLACES, each a number in a CountedCode; ISENTERED: with Enter.
	constructor(onSelect) {
		this.onSelect = onSelect;
		this.scroll = byId('source-scroll');
		this.body = byId('source-lines').tBodies[0];
		this.body.addEventListener('focusin', ({ target }) => {
			const { places } = this.places.get(target.closest('tr'));
			if (places.length)
				this.onSelect(places, false);
		});
		this.body.addEventListener('keydown', (event) => this.key(event));
	}

	// Scrolls to the line with the highest weight.
	goToHottest() {
		const best = [...this.places.values()].reduce((most, line) =>
			(line.weight ?? 0) > (most?.weight ?? 0) ? line : most, null);

		if (best) {
			this.row?.classList.remove('of-line');
			this.markRow(best.row);
		}
	}

	// Shows LINES, a list of { row, places, weight }; a heading has no places.
	show(lines) {
		this.places = new Map(lines.map((line) => [line.row, line]));
		this.row = null;
		this.body.replaceChildren(...this.places.keys());
		this.scroll.hidden = !lines.length;
		this.body.firstElementChild?.setAttribute('tabindex', '0');
	}

	// Marks the first of the source lines NUMBERS of COUNTED that is shown, and scrolls
	// to it.
	mark(counted, numbers) {
		const rowOf = (wanted) => [...this.places.values()].find(({ places }) =>
			places.some((at) => at.counted === counted && at.number === wanted));
		const found = numbers.map(rowOf).find(Boolean);

		this.row?.classList.remove('of-line');
		if (found)
			this.markRow(found.row);
	}

	markRow(row) {
		const { body, scroll } = this;
		const top = row.offsetTop - scroll.scrollTop;

		body.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
		row.setAttribute('tabindex', '0');
		row.classList.add('of-line');
		this.row = row;
		if (top < row.offsetHeight || top + row.offsetHeight > scroll.clientHeight)
			centerRow(scroll, row);
	}

	key(event) {
		const row = event.target.closest('tr');
		const to = rowAfter(this.body, row, event.key);
		const { places } = this.places.get(row);

		if (to)
			to.focus();
		else if (event.key === 'Enter' && places.length)
			this.onSelect(places, true);
		else
			return;
		event.preventDefault();
	}
}

// Returns the row of BODY that KEY leads to from ROW, or null.
function rowAfter(body, row, key) {
	return key === 'ArrowDown' ? row.nextElementSibling
		: key === 'ArrowUp' ? row.previousElementSibling
		: key === 'Home' ? body.firstElementChild
		: key === 'End' ? body.lastElementChild : null;
}

function centerRow(scroll, row) {
	scroll.scrollTop = row ? row.offsetTop - scroll.clientHeight / 2 : 0;
}

// A strip beside the scrollbar of SCROLL with the coloured rows of the whole table. A
// click scrolls to the rows there.
class Strip {
	constructor(canvas, scroll) {
		this.canvas = canvas;
		this.scroll = scroll;
		canvas.addEventListener('click', ({ offsetY }) => {
			scroll.scrollTop = offsetY / scroll.clientHeight *
				scroll.scrollHeight - scroll.clientHeight / 2;
		});
	}

	// Draws MARKS, a list of { row, share, colour }, the hottest last.
	draw(marks) {
		const { canvas, scroll } = this, height = scroll.clientHeight;
		const scale = height / scroll.scrollHeight;

		canvas.hidden = !height;
		if (!height)
			return;
		const pen = penOf(canvas, stripWidth, height);
		for (const { row, colour } of marks) {
			pen.fillStyle = colour;
			pen.fillRect(0, row.offsetTop * scale, stripWidth,
				Math.max(2, row.offsetHeight * scale));
		}
	}
}

const stripWidth = 8;
