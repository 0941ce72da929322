// SPDX-License-Identifier: GPL-2.0-or-later
// Paints rows of coloured boxes as pixels. One line of pixels per row is computed and
// repeated, so that the cost depends on the pixels and not on the number of boxes.

// Returns the bytes of COLOUR ("#rrggbb"), mixed with the colour VEIL. SHARE is the
// part of VEIL, from 0 to 1.
function colourBytes(colour, veil, share) {
	const part = (text, i) => parseInt(text.slice(i, i + 2), 16);

	return [1, 3, 5].map((i) => Math.round(veil
		? part(colour, i) * (1 - share) + part(veil, i) * share
		: part(colour, i)));
}

// Returns a pixel of the colour BYTES as a 32-bit word, in the byte order of the machine.
function pixelWord(bytes) {
	return new Uint32Array(Uint8Array.of(...bytes, 255).buffer)[0];
}

class Painter {
	constructor(canvas) {
		this.canvas = canvas;
		this.pen = canvas.getContext('2d');
	}

	// Starts to paint an area of WIDTH and HEIGHT CSS pixels. PALETTE has the colours
	// of wordOf().
	begin(width, height, palette) {
		const { canvas } = this, ratio = devicePixelRatio || 1;

		if (palette !== this.palette)
			this.words = [new Map(), new Map()];
		this.palette = palette;
		this.resize(Math.max(1, Math.round(width * ratio)),
			Math.max(1, Math.round(height * ratio)));
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		this.ratio = ratio;
		this.pixels.fill(0);
	}

	resize(width, height) {
		const { canvas } = this;

		if (this.image && canvas.width === width && canvas.height === height)
			return;
		canvas.width = width;
		canvas.height = height;
		this.image = this.pen.createImageData(canvas.width, canvas.height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.line = new Uint32Array(canvas.width);
		this.foot = new Uint32Array(canvas.width);
	}

	// Returns COLOUR as the word of a pixel.
	wordOf(colour, isDimmed) {
		const { veil, veilShare } = this.palette;
		const known = this.words[isDimmed ? 1 : 0];
		let word = known.get(colour);

		if (word === undefined) {
			word = pixelWord(
				colourBytes(colour, isDimmed && veil, veilShare));
			known.set(colour, word);
		}
		return word;
	}

	// Begins a row. WORD is the pixel colour where no box is added; 0 is transparent.
	beginRow(word = 0) {
		this.line.fill(word);
		this.foot.fill(word);
	}

	// Adds a box to the current row. WORD is its pixel colour, UNDER the colour of
	// its lowest pixels. A wide box is followed by a gap.
	addBox(x, width, word, under) {
		const { ratio, line, foot } = this;
		const from = Math.round(x * ratio);
		const end = Math.max(from + 1, Math.round((x + width) * ratio) -
			(width > 3 ? Math.round(ratio) : 0));

		if (end - from > 8) {
			line.fill(word, from, end);
			foot.fill(under, from, end);
			return;
		}
		for (let i = from; i < end; i++) {
			line[i] = word;
			foot[i] = under;
		}
	}

	// Paints the current row of boxes, HIGH pixels from TOP on; the lowest FEET
	// pixels are the lower edges of the boxes.
	endRow(top, high, feet = 0) {
		const { ratio, pixels, line, foot } = this;
		const { width, height } = this.canvas;
		const from = Math.round(top * ratio);
		const end = Math.min(Math.round((top + high) * ratio), height);
		const turn = Math.round((top + high - feet) * ratio);

		for (let y = Math.max(0, from); y < end; y++)
			pixels.set(y < turn ? line : foot, y * width);
	}

	// Ends painting. Returns a drawing context in CSS pixels, for text on the
	// boxes.
	end() {
		const { pen, image, ratio } = this;

		pen.putImageData(image, 0, 0);
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		return pen;
	}
}
