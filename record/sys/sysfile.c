/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/sysfile.h"

#include <errno.h>

#define ONLINE "/sys/devices/system/cpu/online"
#define POSSIBLE "/sys/devices/system/cpu/possible"

bool sysfile_slurp(int dir, const char *path, struct strbuf *out)
{
	_cleanup_close_ int fd =
		openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char piece[8192];
	size_t total = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while (total < SYSFILE_MAX) {
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		strbuf_put(out, piece, (size_t)n);
		total += (size_t)n;
	}
	return true;
}

bool sysfile_line(const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[MAX(n, 0)] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n > 0;
}

bool sysfile_number(const char *path, int64_t *ret)
{
	char text[32], *end;

	if (!sysfile_line(path, text, sizeof(text)))
		return false;
	*ret = strtoll(text, &end, 10);
	return end != text;
}

void sysfile_cpus_online(struct cpus *ret)
{
	char text[4096];

	memset(ret, 0, sizeof(*ret));
	if (sysfile_line(ONLINE, text, sizeof(text)) && cpus_parse(text, ret))
		return;
	*array_push(&ret->list) = 0;
}

uint32_t sysfile_cpus_possible(void)
{
	struct cpus possible = { 0 };
	uint32_t n = 1;
	char text[4096];

	if (sysfile_line(POSSIBLE, text, sizeof(text)) &&
		cpus_parse(text, &possible))
		n = possible.list.at[possible.list.n - 1] + 1;
	cpus_deinit(&possible);
	return n;
}
