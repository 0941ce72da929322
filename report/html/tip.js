// SPDX-License-Identifier: GPL-2.0-or-later
// What a frame is, beside the mouse.

class Tip {
	constructor(box) {
		this.box = box;
	}

	// LINES: null if they are what is shown.
	show(event, lines) {
		const { box } = this;

		if (lines)
			box.replaceChildren(...lines.map((line) => element('div', line)));
		box.classList.remove('away');
		if (lines)
			this.size = [box.offsetWidth, box.offsetHeight];
		const [width, height] = this.size;
		const x = Math.min(event.clientX + 14,
			document.documentElement.clientWidth - width - 8);
		const y = event.clientY + 18 + height > innerHeight
			? event.clientY - height - 10 : event.clientY + 18;
		box.style.transform =
			`translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
	}

	hide() {
		this.box.classList.add('away');
	}
}
