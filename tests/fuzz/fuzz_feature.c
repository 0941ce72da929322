/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target of feature sections. The first byte is the feature's number, the
 * second one is odd for the other byte order, and the rest is the section.
 * Features that can be read are written, read again, and printed.
 */
#include "config.h"

#include "common/file/feature.h"
#include "common/file/simpleperf.h"

#define INPUT_MAX KIB(64)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	unsigned bit = bytes_u8(&b);
	_cleanup_strbuf_ struct strbuf written = { 0 }, text = { 0 };
	struct features features = { 0 }, again = { 0 };
	struct symbols_section files = { 0 };

	b.swap = bytes_u8(&b) & 1;
	if (size > INPUT_MAX)
		return 0;
	feature_read(&features, bit, b);
	/* A stream may have a feature twice. */
	feature_read(&features, bit, b);
	feature_print(&features, bit, &text);
	simpleperf_read_files(bytes_of(features.simpleperf_files.at,
				      features.simpleperf_files.n, b.swap),
		&files);
	symbols_section_deinit(&files);
	if (feature_write(&features, bit, &written))
		feature_read(&again, bit,
			bytes_of(written.at ? written.at : "", written.n,
				false));
	feature_print(&again, bit, &text);
	features_deinit(&features);
	features_deinit(&again);
	return 0;
}
