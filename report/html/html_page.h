/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an HTML page before and after its data. The build makes it from
 * report/html/page/.
 */
#ifndef DWELL_REPORT_HTML_HTML_PAGE_H
#define DWELL_REPORT_HTML_HTML_PAGE_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t html_page_begin[], html_page_end[];
extern const size_t html_page_begin_size, html_page_end_size;

#endif
