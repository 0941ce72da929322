/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The script of a picture of dwell export --format svg. The build makes it from
 * report/export/svg.js.
 */
#ifndef DWELL_REPORT_EXPORT_SVG_SCRIPT_H
#define DWELL_REPORT_EXPORT_SVG_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t svg_script[];
extern const size_t svg_script_size;

#endif
