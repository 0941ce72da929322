// SPDX-License-Identifier: GPL-2.0-or-later
// A tooltip beside the mouse.

class Tip {
	constructor(box) {
		this.box = box;
	}

	// Shows LINES at the position of EVENT. LINES null keeps the current lines.
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

	// Shows the tooltip for BUTTON, under the mouse or with keyboard focus.
	// DESCRIBE() returns the lines of text.
	attend(button, describe) {
		button.addEventListener('focus', () => {
			const { right, top } = button.getBoundingClientRect();
			if (button.matches(':focus-visible'))
				this.show({ clientX: right, clientY: top }, describe());
		});
		button.addEventListener('blur', () => this.hide());
	}

	// Shows the tooltip for CANVAS. DESCRIBE(event) returns the lines of text for
	// the position of the mouse, or null.
	follow(canvas, describe) {
		let before = null;
		const leave = () => {
			before = null;
			this.hide();
		};

		canvas.addEventListener('mousemove', (event) => {
			const lines = describe(event), text = lines?.join('\n');
			if (!lines) {
				leave();
				return;
			}
			this.show(event, text === before ? null : lines);
			before = text;
		});
		canvas.addEventListener('mouseleave', leave);
	}
}
