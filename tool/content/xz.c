// SPDX-License-Identifier: GPL-2.0
/*
 * Xz: by one call of liblzma, which does not tell the size beforehand. Not by libarchive, which
 * compressed.c uses for files: this runs where no file may be opened.
 */

#include <lzma.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "xz.h"

#define DECODED_MAX (256U << 20)
/* For the window: xz -9 takes 65 MiB. */
#define MEMORY_MAX (128U << 20)
/* Symbol tables compress to about an eighth. */
#define FIRST_ROOM 8

static struct library {
	bool loaded;
	__typeof__(lzma_stream_buffer_decode) *decode;
} library;

bool xz_load(void)
{
	static const struct shared_function functions[] = {
		{ "lzma_stream_buffer_decode", offsetof(struct library, decode) },
	};

	if (!library.loaded)
		library.loaded = !shared_library_open("liblzma.so.5", functions,
						      ARRAY_SIZE(functions), &library);
	return library.loaded;
}

void *xz_decode(const void *from, size_t from_size, size_t *size)
{
	lzma_ret result = library.loaded && from_size ? LZMA_BUF_ERROR : LZMA_PROG_ERROR;
	size_t room = from_size < DECODED_MAX / FIRST_ROOM ? FIRST_ROOM * from_size : DECODED_MAX;
	uint8_t *to = NULL;

	for (; result == LZMA_BUF_ERROR && room <= DECODED_MAX; room *= 2) {
		uint64_t memory = MEMORY_MAX;
		size_t at = 0;

		*size = 0;
		free(to);
		to = malloc(room);
		result = !to ? LZMA_MEM_ERROR :
			       library.decode(&memory, 0, NULL, from, &at, from_size, to, size,
					      room);
	}
	if (result == LZMA_OK)
		return to;
	free(to);
	return NULL;
}
