// SPDX-License-Identifier: GPL-2.0-or-later
// For browse.js: how different the colours of a page are, also for people who are
// colour-blind.
'use strict';

// Matrices for linear RGB, severity 1.0, of G. M. Machado, M. M. Oliveira and
// L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009.
const visions = {
	normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868],
		[0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968],
		[0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	tritanopia: [[1.255528, -0.076749, -0.178779],
		[-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
// Linear sRGB to CIE XYZ relative to the white D65.
const toXyz = [[0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
	[0.2126729, 0.7151522, 0.0721750],
	[0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883]];
const radian = Math.PI / 180;

const times = (matrix, vector) => matrix.map((row) =>
	row.reduce((sum, part, i) => sum + part * vector[i], 0));

// Returns the CIE L*a*b* of COLOUR ("#rrggbb") as people with VISION see it.
function labOf(colour, vision) {
	const linear = [1, 3, 5].map((i) => {
		const part = parseInt(colour.slice(i, i + 2), 16) / 255;

		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	const seen = times(visions[vision], linear)
		.map((part) => Math.min(1, Math.max(0, part)));
	const [x, y, z] = times(toXyz, seen).map((part) => part > 216 / 24389
		? Math.cbrt(part) : (24389 / 27 * part + 16) / 116);

	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// Returns the difference CIEDE2000 of two L*a*b* colours. About 2.3 is just visible
// (the formula: CIE 142-2001).
function labDifference([l1, a1, b1], [l2, a2, b2]) {
	const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
	const scale = 1 + (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))) / 2;
	const [c1, c2] = [Math.hypot(a1 * scale, b1), Math.hypot(a2 * scale, b2)];
	const hue = (b, a) => (Math.atan2(b, a) / radian + 360) % 360;
	const [h1, h2] = [hue(b1, a1 * scale), hue(b2, a2 * scale)];
	let turn = c1 * c2 ? h2 - h1 : 0, h = h1 + h2;

	if (c1 * c2 && Math.abs(turn) > 180)
		h += h < 360 ? 360 : -360;
	if (c1 * c2)
		h /= 2;
	turn -= Math.abs(turn) > 180 ? 360 * Math.sign(turn) : 0;
	const l = (l1 + l2) / 2, c = (c1 + c2) / 2;
	const wave = 1 - 0.17 * Math.cos((h - 30) * radian) +
		0.24 * Math.cos(2 * h * radian) +
		0.32 * Math.cos((3 * h + 6) * radian) -
		0.2 * Math.cos((4 * h - 63) * radian);
	const lightness = (l2 - l1) /
		(1 + 0.015 * (l - 50) ** 2 / Math.sqrt(20 + (l - 50) ** 2));
	const strength = (c2 - c1) / (1 + 0.045 * c);
	const tint = 2 * Math.sqrt(c1 * c2) * Math.sin(turn / 2 * radian) /
		(1 + 0.015 * c * wave);
	const rotation = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) *
		Math.sin(60 * radian * Math.exp(-(((h - 275) / 25) ** 2)));

	return Math.sqrt(lightness ** 2 + strength ** 2 + tint ** 2 +
		rotation * strength * tint);
}

// Returns the difference of two colours ("#rrggbb") for VISION.
function colourDifference(one, other, vision) {
	return labDifference(labOf(one, vision), labOf(other, vision));
}

// The classes of enum flame_colour, in its order, without commands.
const classes = ['kernel', 'own', ...Array(10).fill('own'), 'system', 'system', 'system',
	'JIT', 'unknown'];
// Least differences: of classes and of modules, of the shades of one class, of more and
// less in a comparison and of the states of threads.
const least = { class: 5.5, shade: 2, change: 10, state: 10 };

// Returns [name, name, least difference, colour, colour] for the colours that must be
// told apart. CODE, MORE, LESS and SAME are those of a palette of report/html/page/colour.js,
// STATES is a list of [name, colour].
function pairsOf({ code, more, less, same }, states) {
	const each = (list, pair) => list.flatMap((one, i) =>
		list.slice(i + 1).map((other) => pair(one, other)));

	return [...each(code.slice(0, -1).map((colour, i) => [classes[i], colour]),
		([one, a], [other, b]) => [one, other, one === other && one !== 'own'
			? least.shade : least.class, a, b]),
	...each(states, ([one, a], [other, b]) => [one, other, least.state, a, b]),
	...more.flatMap((a, i) => less.map((b, j) =>
		[`more ${i}`, `less ${j}`, least.change, a, b])),
	...[...more, ...less].map((a) => ['changed', 'same', least.class, a, same])];
}

// Returns a line for each pair of colours that a VISION does not tell apart, and a last
// line with the number of the pairs.
function similarColours(palette, states) {
	const pairs = pairsOf(palette, states), found = [];

	if (palette.code.length !== classes.length + 1)
		return ['the classes of vision.js are not those of flame_colour.h'];
	for (const [one, other, wanted, a, b] of pairs)
		for (const vision of Object.keys(visions)) {
			const difference = colourDifference(a, b, vision);
			if (difference < wanted)
				found.push(`${difference.toFixed(1)} ${vision}: ${one} ${
					a}, ${other} ${b}`);
		}
	return [...found, `${pairs.length} pairs`];
}

module.exports = { labDifference, similarColours };
