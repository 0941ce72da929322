// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of frames, for light and dark pages: by module, by program or library, or by
// heat. Frames that are not code are grey. The .code of a palette has the colour of each
// class of report/flame/flame_colour.h, from the data of the page. People who are
// colour-blind see all colours that must be told apart as different ones
// (tests/cli/vision.js).

const palettes = {
	light: {
		code: [], text: '#16191d',
		match: '#ff4fd8', veil: '#ffffff', veilShare: 0.55,
		heat: ['#f8e9b4', '#f9d98b', '#f6b565', '#ee8a4d', '#dd5a41',
			'#bd2e3c'],
		hottest: '#ffffff',
		more: ['#fbdfd6', '#f8bfae', '#f2947d', '#e8705a'],
		less: ['#d3e3f7', '#b3d1f4', '#8dbaea', '#659fe0'],
		same: '#ebedf0', gone: '#659fe0', narrow: '#cfd4dc',
	},
	dark: {
		code: [], text: '#f0f2f5',
		match: '#ff4fd8', veil: '#12151a', veilShare: 0.55,
		heat: ['#3c3626', '#5c4a24', '#84581f', '#a9541f', '#c1442b',
			'#c92e43'],
		hottest: '#ffffff',
		more: ['#4a2e2a', '#6f352d', '#973c31', '#be4437'],
		less: ['#243c57', '#2a4a6d', '#2b5f96', '#286eb6'],
		same: '#363c46', gone: '#286eb6', narrow: '#434a56',
	},
};

// FLAME_SYSTEM_NAME of report/flame/flame_colour.h.
const systemModule = 'system libraries';

// SHADES is a list of [light, dark].
function setFrameColours(shades) {
	palettes.light.code = shades.map(([light]) => light);
	palettes.dark.code = shades.map(([, dark]) => dark);
}

class Colours {
	constructor(data) {
		this.functions = data.functions;
		this.setMode('module');
		this.setTheme();
	}

	setTheme() {
		this.isDark = document.documentElement.dataset.theme === 'dark';
		this.palette = palettes[this.isDark ? 'dark' : 'light'];
		// The colours of thread states are those of the timeline.
		this.states = Object.fromEntries(['runnable', 'blocked', 'preempted']
			.map((state) => [`[${state}]`, themeColour(state)]));
	}

	// Sets what colours mean: 'module' or 'dso', a member of functions, or 'heat'.
	setMode(mode) {
		this.meaning = mode === 'dso' ? 'dso' : 'module';
		this.key = mode === 'dso' ? 'dsoColour' : 'colour';
	}

	// Returns the meanings of the colours of the frames of TREE with their parts of
	// the samples, the largest first. By module, a library of the system counts for
	// the module that calls it, so that its own part can be 0.
	sumsOf({ n, parent, fn, self }) {
		const { functions, meaning } = this, sums = new Map();
		const owners = new Array(n).fill('');

		for (let i = 0; i < n; i++) {
			const at = functions[fn[i]], above = owners[parent[i]];
			const own = isCode(at) ? at[meaning] : '';

			if (own === systemModule && !sums.has(own))
				sums.set(own, 0);
			owners[i] = isState(at) || (own === systemModule && above)
				? above : own;
			if (self[i] && owners[i])
				sums.set(owners[i], (sums.get(owners[i]) || 0) + self[i]);
		}
		return Array.from(sums)
			.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	}

	titleOf(meaning) {
		return this.meaning === 'dso' ? '' : meaning === systemModule
			? 'Libraries of the system, and standard libraries of languages'
			: `${meaning}, with the system libraries that it calls`;
	}

	// Returns the colour of the first function that MEANING stands for.
	ofMeaning(meaning) {
		return this.palette.code[this.functions.find((at) => isCode(at) &&
			at[this.meaning] === meaning)[this.key]];
	}

	// Returns the heat colour level of SHARE, which is from 0 to 1.
	heatLevel(share) {
		const { heat } = this.palette;
		const level = 1 + Math.log10(Math.max(share, 1e-3)) / 3;

		return Math.min(heat.length - 1, Math.floor(level * heat.length));
	}

	// Returns the smallest share of the samples with the heat colour LEVEL, as text;
	// that of level 1 for level 0, which has the shares below it.
	heatText(level) {
		const least = 3 * (Math.max(1, level) / this.palette.heat.length - 1);

		return `${Number((100 * 10 ** least).toPrecision(2))} %`;
	}

	ofHeat(share) {
		return this.palette.heat[this.heatLevel(share)];
	}

	// Returns the colour of a change. LEVEL is from -4 (much less) to 4 (much
	// more).
	ofChange(level) {
		const { more, less, same } = this.palette;

		return level > 0 ? more[level - 1] : level < 0 ? less[-level - 1] : same;
	}

	ofFunction(fn, share, isByHeat) {
		const at = this.functions[fn];

		if (isState(at))
			return this.states[at.name] ?? this.palette.code[at[this.key]];
		return isByHeat && isCode(at) ? this.ofHeat(share)
			: this.palette.code[at[this.key]];
	}

	textOn(share, isByHeat) {
		const { heat, hottest, text } = this.palette;

		return isByHeat && this.heatLevel(share) === heat.length - 1
			? hottest : text;
	}
}
