/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of the html export, made from report/html/ when dwell is built: what
 * stands before its data, and behind.
 */
#ifndef DWELL_REPORT_HTML_HTML_PAGE_H
#define DWELL_REPORT_HTML_HTML_PAGE_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t html_page_begin[], html_page_end[];
extern const size_t html_page_begin_size, html_page_end_size;

#endif
