/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An auditing library (rtld-audit(7)): a runtime is mapped and not initialized for one
 * second. When the dynamic linker has mapped the first file whose name contains
 * $SLOW_START, the writable segments of the file get other contents, as if they were
 * not mapped or not relocated yet. Then the library runs code without a file and without unwind
 * rules, one fifth of the time, and restores the segments.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENTS_MAX 8

struct segment {
	void *at;
	char *copy;
	size_t size;
};

static void spin(void)
{
	/* mov ecx, 3097152; 1: dec ecx; jne 1b; ret */
	static const uint8_t code[] = { 0xb9, 0x40, 0x42, 0x2f, 0, 0xff, 0xc9,
		0x75, 0xfc, 0xc3 };
	unsigned i;
	void *at = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(at, code, sizeof(code));
	for (i = 0; i < 200; i++) {
		((void (*)(void))(uintptr_t)at)();
		usleep(4000);
	}
	munmap(at, sizeof(code));
}

static int find_segments(const struct link_map *map, struct segment *ret)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr;
	const ElfW(Phdr) * headers;
	int n, i, found = 0;

	if (*map->l_name) {
		headers = (const void *)(map->l_addr + header->e_phoff);
		n = header->e_phnum;
	} else {
		headers = (const void *)getauxval(AT_PHDR);
		n = (int)getauxval(AT_PHNUM);
	}
	for (i = 0; i < n && found < SEGMENTS_MAX; i++)
		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W)
			ret[found++] = (struct segment){
				(void *)(map->l_addr + headers[i].p_vaddr),
				NULL, headers[i].p_filesz
			};
	return found;
}

unsigned la_version(unsigned version)
{
	return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	static int is_done;
	struct segment segments[SEGMENTS_MAX];
	char path[4096] = "";
	const char *slash;
	int n, i;

	(void)space;
	(void)cookie;
	if (*map->l_name)
		strncpy(path, map->l_name, sizeof(path) - 1);
	else if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return 0;
	slash = strrchr(path, '/');
	if (is_done || !strstr(slash ? slash : path, getenv("SLOW_START")))
		return 0;
	is_done = 1;
	n = find_segments(map, segments);
	for (i = 0; i < n; i++) {
		segments[i].copy = malloc(segments[i].size);
		memcpy(segments[i].copy, segments[i].at, segments[i].size);
		memset(segments[i].at, 0x55, segments[i].size);
	}
	spin();
	for (i = 0; i < n; i++) {
		memcpy(segments[i].at, segments[i].copy, segments[i].size);
		free(segments[i].copy);
	}
	return 0;
}
