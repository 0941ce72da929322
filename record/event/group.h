/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of events: adjacent events of a selection with the same .group other
 * than 0. The kernel counts the events of a group together. The first event is
 * the leader: enabling the leader enables the group, and with modifier S only
 * the leader samples.
 */
#ifndef DWELL_RECORD_EVENT_GROUP_H
#define DWELL_RECORD_EVENT_GROUP_H

#include "record/event/selection.h"

/* Returns whether EVENT is in a group and is not the leader of the group. */
bool group_has_leader(const struct selection *selection, size_t event);
/*
 * Returns the index of the leader of EVENT's group; EVENT if the event is in no
 * group.
 */
size_t group_leader(const struct selection *selection, size_t event);
/* Returns the number of events in EVENT's group, including EVENT. */
size_t group_count_members(const struct selection *selection, size_t event);
/* Makes the events of EVENT's group independent. */
void group_dissolve(struct selection *selection, size_t event);

/*
 * Sets the attributes of the events that are in groups. Call this function
 * after selection_configure().
 */
void groups_configure(struct selection *selection);

#endif
