/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/unxz.h"

#ifdef HAVE_LZMA

#include <lzma.h>
#include <sys/mman.h>

#include "common/util/sink.h"

/*
 * Decompresses STREAM to FD. Returns false if STREAM is damaged or too large.
 */
static bool decode_xz_stream(lzma_stream *stream, int fd)
{
	uint8_t out[KIB(16)];
	lzma_ret result;

	do {
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		result = lzma_code(stream, LZMA_FINISH);
		if ((result != LZMA_OK && result != LZMA_STREAM_END) ||
			stream->total_out > UNXZ_SIZE_MAX ||
			sink_write(fd, out, sizeof(out) - stream->avail_out))
			return false;
	} while (result != LZMA_STREAM_END);
	return true;
}

int unxz_to_memory(const uint8_t *bytes, size_t size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	_cleanup_close_ int fd = memfd_create("debugdata", MFD_CLOEXEC);
	bool ok = false;

	if (fd >= 0 &&
		lzma_stream_decoder(&stream, UNXZ_MEMORY_MAX, 0) == LZMA_OK) {
		stream.next_in = bytes;
		stream.avail_in = size;
		ok = decode_xz_stream(&stream, fd);
	}
	lzma_end(&stream);
	return ok ? take_fd(fd) : -1;
}

#else

#include "common/util/log.h"

int unxz_to_memory(const uint8_t *bytes _unused_, size_t size _unused_)
{
	log_note_once("symbols of .gnu_debugdata are not read: dwell was built "
		      "without liblzma (Debian package: liblzma-dev)");
	return -1;
}

#endif
