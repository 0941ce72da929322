/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of the kernel's uprobe and kprobe PMUs, which insert a breakpoint into
 * the code of a file or of the kernel while the event is open:
 *
 *	uprobe:PATH:SYMBOL[+OFFSET][%return], uprobe:PATH:0xOFFSET
 *	kprobe:SYMBOL[+OFFSET][%return], kprobe:0xADDRESS
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PROBE_H
#define DWELL_RECORD_EVENT_EVENT_PROBE_H

#include "record/event/event_syntax.h"
#include "record/event/pmu.h"
#include "record/event/selected.h"

struct error *event_probe_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	struct selected *event) _must_check_;

#endif
