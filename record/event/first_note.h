/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers, in the user's cache folder, which notes about this machine were
 * printed, so that a note about a permanent property of the machine is not
 * repeated at each run. Without a cache folder each note counts as a new one.
 */
#ifndef DWELL_RECORD_EVENT_FIRST_NOTE_H
#define DWELL_RECORD_EVENT_FIRST_NOTE_H

#include <stdbool.h>

/*
 * Returns whether the note NAME is to be printed: it was not yet printed on
 * this machine for this user, or messages are verbose. Then remembers NAME. If
 * only errors are printed (-q), returns false and remembers nothing. A note
 * that was not due for a month is forgotten.
 */
bool first_note_is_due(const char *name);

#endif
