// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the kind of page from the data.

let page; // for tests

async function start() {
	const loading = byId('loading');

	try {
		const data = readData(await unpack(byId('data').textContent));
		byId('data').remove();
		setFrameColours(data.shades);
		byId('page').hidden = false;
		// Its height would give the document a scroll bar, and the panels other widths.
		loading.hidden = true;
		page = new (data.recordings ? DifferencePage : Page)(data);
		page.open();
	} catch (error) {
		byId('page').hidden = true;
		loading.hidden = false;
		loading.textContent = `Cannot show this page: ${error.message}`;
	}
}

start();
