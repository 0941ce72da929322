/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/code_pages.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/util/alloc.h"
#include "common/util/hash.h"

#define PAGE_SIZE 4096u
/* Limit of kept pages, 4 MiB together; a power of two. */
#define PAGES_MAX 1024u

struct code_page {
	uint32_t file;
	uint64_t number; /* offset in the file, in pages */
	size_t size;	 /* fewer than PAGE_SIZE bytes at the end of the file */
	uint8_t bytes[PAGE_SIZE];
};

struct code_pages {
	pthread_mutex_t lock; /* guards the pages */
	/* By hash; owned. A page replaces another one in its place. */
	struct code_page *at[PAGES_MAX];
};

struct code_pages *code_pages_create(void)
{
	struct code_pages *pages = xcalloc(1, sizeof(*pages));

	pthread_mutex_init(&pages->lock, NULL);
	return pages;
}

void code_pages_destroy(struct code_pages *pages)
{
	size_t i;

	if (!pages)
		return;
	for (i = 0; i < PAGES_MAX; i++)
		free(pages->at[i]);
	pthread_mutex_destroy(&pages->lock);
	free(pages);
}

/* Copies at most SIZE bytes from the byte FROM of PAGE on. */
static size_t copy_from_page(
	const struct code_page *page, size_t from, uint8_t *bytes, size_t size)
{
	size_t n = from < page->size ? MIN(size, page->size - from) : 0;

	memcpy(bytes, page->bytes + from, n);
	return n;
}

/* Reads a page without the lock, because a file system may not respond. */
static bool read_page_of_file(struct code_page *page, int fd)
{
	ssize_t n = pread(
		fd, page->bytes, PAGE_SIZE, (off_t)(page->number * PAGE_SIZE));

	page->size = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Reads bytes of one page. */
static size_t read_in_page(struct code_pages *pages,
	const struct code_pages_file *file, uint64_t offset, uint8_t *bytes,
	size_t size)
{
	uint64_t number = offset / PAGE_SIZE;
	struct code_page **place =
		&pages->at[hash_words(file->number, number) % PAGES_MAX];
	struct code_page *page, *other;
	size_t n;

	pthread_mutex_lock(&pages->lock);
	page = *place;
	if (page && page->file == file->number && page->number == number) {
		n = copy_from_page(page, offset % PAGE_SIZE, bytes, size);
		pthread_mutex_unlock(&pages->lock);
		return n;
	}
	/* The page is read into the memory of the page that it replaces. */
	*place = NULL;
	pthread_mutex_unlock(&pages->lock);
	if (!page)
		page = xmalloc(sizeof(*page));
	page->file = file->number;
	page->number = number;
	if (!read_page_of_file(page, file->fd)) {
		free(page);
		return 0;
	}
	n = copy_from_page(page, offset % PAGE_SIZE, bytes, size);
	pthread_mutex_lock(&pages->lock);
	other = *place;
	*place = page;
	pthread_mutex_unlock(&pages->lock);
	free(other);
	return n;
}

size_t code_pages_read(struct code_pages *pages,
	const struct code_pages_file *file, uint64_t offset, uint8_t *bytes,
	size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t wanted = MIN(size - at,
			(size_t)(PAGE_SIZE - (offset + at) % PAGE_SIZE));
		size_t n = read_in_page(
			pages, file, offset + at, bytes + at, wanted);

		at += n;
		if (n < wanted)
			break;
	}
	return at;
}
