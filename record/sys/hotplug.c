/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/hotplug.h"

#include <ctype.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/*
 * Adds to RET the members of CPUS that are in OTHERS if ARE_AMONG, else the
 * members that are not in OTHERS.
 */
static void add_changed_cpu(struct cpus *ret, const struct cpus *cpus,
	const struct cpus *others, bool are_among)
{
	array_each(&cpus->list, cpu)
		if (cpus_has(others, *cpu) == are_among)
			*array_push(&ret->list) = *cpu;
}

bool hotplug_update(struct hotplug *hotplug, const struct cpus *recorded,
	const struct cpus *online, struct hotplug_change *ret)
{
	struct hotplug now = { 0 };

	*ret = (struct hotplug_change){ 0 };
	add_changed_cpu(&now.missing, recorded, online, false);
	add_changed_cpu(&now.others, online, recorded, false);
	add_changed_cpu(&ret->gone, &now.missing, &hotplug->missing, false);
	add_changed_cpu(&ret->back, &hotplug->missing, online, true);
	add_changed_cpu(&ret->others, &now.others, &hotplug->others, false);
	hotplug_deinit(hotplug);
	*hotplug = now;
	return ret->gone.list.n || ret->back.list.n || ret->others.list.n;
}

void hotplug_mark_offline(
	struct hotplug *hotplug, const struct cpus *recorded, uint32_t cpu)
{
	if (cpus_has(recorded, cpu) && !cpus_has(&hotplug->missing, cpu))
		*array_push(&hotplug->missing.list) = cpu;
}

void hotplug_change_deinit(struct hotplug_change *change)
{
	cpus_deinit(&change->gone);
	cpus_deinit(&change->back);
	cpus_deinit(&change->others);
}

void hotplug_deinit(struct hotplug *hotplug)
{
	cpus_deinit(&hotplug->missing);
	cpus_deinit(&hotplug->others);
}

#define OFFLINE "offline@/devices/system/cpu/cpu"
/* Multicast group of kernel messages; udevd sends to group 2. */
#define FROM_KERNEL 1u
/*
 * Maximum bytes of a device event. Linux's UEVENT_BUFFER_SIZE is 2048, without
 * the first line.
 */
#define MESSAGE_MAX 8192u

int hotplug_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK,
		.nl_groups = FROM_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

void hotplug_read(const char *text, size_t size, struct cpus *gone)
{
	unsigned long cpu;
	char *end;

	if (size < sizeof(OFFLINE) ||
		strncmp(text, OFFLINE, sizeof(OFFLINE) - 1) != 0)
		return;
	text += sizeof(OFFLINE) - 1;
	if (!isdigit((unsigned char)*text))
		return;
	cpu = strtoul(text, &end, 10);
	if (!*end && cpu < UINT32_MAX && !cpus_has(gone, (uint32_t)cpu))
		*array_push(&gone->list) = (uint32_t)cpu;
}

void hotplug_take(int fd, struct cpus *gone)
{
	char text[MESSAGE_MAX + 1];
	struct sockaddr_nl from;
	socklen_t n;
	ssize_t size;

	for (;;) {
		n = sizeof(from);
		size = recvfrom(
			fd, text, MESSAGE_MAX, 0, (struct sockaddr *)&from, &n);
		if (size < 0)
			return;
		text[size] = '\0';
		/*
		 * Other programs can send device events, too; the port ID 0 is
		 * the kernel.
		 */
		if (n == sizeof(from) && from.nl_pid == 0)
			hotplug_read(text, (size_t)size, gone);
	}
}
