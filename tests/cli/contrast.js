// SPDX-License-Identifier: GPL-2.0-or-later
// For browse.js: runs in a page of dwell export --format html, and returns a
// line for each text whose contrast with its background is too low (WCAG 2.1
// requires 4.5). This includes frames of graphs in all their colours.
'use strict';

function lowContrasts() {
	const least = 4.5, found = new Set();
	const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
	const light = (part) => part <= 0.04045 * 255 ? part / 255 / 12.92
		: ((part / 255 + 0.055) / 1.055) ** 2.4;
	const luminance = ([red, green, blue]) => 0.2126 * light(red) +
		0.7152 * light(green) + 0.0722 * light(blue);
	const over = ([red, green, blue, alpha = 1], under) =>
		[red, green, blue].map((part, i) =>
			part * alpha + under[i] * (1 - alpha));
	const isBare = (element) =>
		!Array.from(element.childNodes).some((child) =>
			child.nodeType === Node.TEXT_NODE && child.data.trim());
	const isSeen = (element) => element.checkVisibility(
		{ visibilityProperty: true, opacityProperty: true });
	let asked = 0;

	function ask(what, text, behind) {
		const [low, high] = [luminance(text), luminance(behind)]
			.sort((a, b) => a - b);
		const ratio = (high + 0.05) / (low + 0.05);

		asked++;
		if (ratio < least)
			found.add(`${ratio.toFixed(2)} ${what}`);
	}

	function behind(element) {
		if (!element)
			return [255, 255, 255];
		const colour = numbers(getComputedStyle(element).backgroundColor);
		return colour[3] === undefined || colour[3] === 1 ? colour
			: over(colour, behind(element.parentElement));
	}

	for (const element of document.body.querySelectorAll('*')) {
		const name = `${element.localName}#${element.id} in ${
			element.parentElement.id || element.parentElement.className}`;
		if (!isSeen(element) || element.closest('script, :disabled'))
			continue;
		if (!isBare(element) || element.matches('select, input'))
			ask(name, numbers(getComputedStyle(element).color),
				behind(element));
		if (element.placeholder)
			ask(`${name}, placeholder`, over(numbers(getComputedStyle(
				element, '::placeholder').color), behind(element)),
			behind(element));
	}

	const colours = new Colours({ functions: [] }), { palette } = colours;
	const frame = (what, colour, text) => {
		ask(what, colourBytes(text), colourBytes(colour));
		ask(`${what}, dimmed`, colourBytes(palette.text), colourBytes(
			colour, palette.veil, palette.veilShare));
	};
	const states = ['runnable', 'blocked', 'preempted'].map(themeColour);
	for (const colour of [...palette.code, ...states, ...palette.more,
		...palette.less, palette.same, palette.narrow])
		frame(colour, colour, palette.text);
	for (let share = 1; share > 1e-4; share *= 0.9)
		frame(`heat ${colours.ofHeat(share)}`, colours.ofHeat(share),
			colours.textOn(share, true));
	return [...found, asked > 100 ? `${document.documentElement.dataset.theme}: all asked` : 'too few'];
}

module.exports = { lowContrasts };
