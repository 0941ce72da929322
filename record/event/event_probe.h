/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events at an address. Events of the kernel's uprobe and kprobe PMUs insert a
 * breakpoint into the code of a file or of the kernel while the event is open;
 * events of type "mem" use a debug register of the CPU:
 *
 *	uprobe:PATH:SYMBOL[+OFFSET][%return], uprobe:PATH:0xOFFSET
 *	kprobe:SYMBOL[+OFFSET][%return], kprobe:0xADDRESS
 *	mem:ADDRESS[/LENGTH][:ACCESS]
 */
#ifndef DWELL_RECORD_EVENT_EVENT_PROBE_H
#define DWELL_RECORD_EVENT_EVENT_PROBE_H

#include "record/event/event_syntax.h"
#include "record/event/pmu.h"
#include "record/event/selection.h"

struct error *event_probe_apply(const char *source,
	const struct event_text *text, const struct pmus *pmus,
	struct selection_event *event) _must_check_;

/*
 * Sets EVENT to the mem: breakpoint in TEXT. ADDRESS can be a symbol of
 * PROGRAM, the file of the command, or NULL. If PROGRAM is
 * position-independent, the address in EVENT is the linked address, which
 * record/open/relocate.h relocates.
 */
struct error *event_break_apply(const char *source,
	const struct event_text *text, const char *program,
	struct selection_event *event) _must_check_;

#endif
