/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of events: those that stand beside each other in a selection and have
 * one number, not 0, are counted together. The first one leads: the group is
 * switched on and off with it, and with :S it samples for all.
 */
#ifndef DWELL_RECORD_EVENT_GROUP_H
#define DWELL_RECORD_EVENT_GROUP_H

#include "record/event/selected.h"

/* Whether another event leads EVENT. */
bool group_has_leader(const struct selection *selection, size_t event);
/* The index of what leads EVENT's group; EVENT if it is in none. */
size_t group_leader(const struct selection *selection, size_t event);
/* How many events are in EVENT's group, itself included. */
size_t group_size(const struct selection *selection, size_t event);
/* From now on they are no group. */
void group_dissolve(struct selection *selection, size_t event);

/* Makes groups of what selection_configure() has set up. */
void groups_configure(struct selection *selection);

#endif
