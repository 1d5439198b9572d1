// SPDX-License-Identifier: GPL-2.0
/* htlhash: both ends of a file and its size, by libcrypto's SHA-256. */

#include <endian.h>
#include <openssl/sha.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "htlhash.h"

#define PART	 4096
#define HASH_LEN 16

static struct library {
	bool loaded;
	__typeof__(SHA256) *SHA256;
} library;

static bool htlhash_load(void)
{
	static const struct shared_function functions[] = {
		{ "SHA256", offsetof(struct library, SHA256) },
	};

	if (!library.loaded)
		library.loaded = !shared_library_open("libcrypto.so.3", functions,
						      ARRAY_SIZE(functions), &library);
	return library.loaded;
}

bool htlhash_read(int fd, uint64_t size, struct build_id *id)
{
	const size_t part = MIN(size, PART);
	const uint64_t big_endian = htobe64(size);
	unsigned char bytes[2 * PART + sizeof(big_endian)], digest[SHA256_DIGEST_LENGTH];

	if (!htlhash_load() || pread(fd, bytes, part, 0) != (ssize_t)part ||
	    pread(fd, bytes + part, part, (off_t)(size - part)) != (ssize_t)part)
		return false;
	memcpy(bytes + 2 * part, &big_endian, sizeof(big_endian));
	library.SHA256(bytes, 2 * part + sizeof(big_endian), digest);
	return build_id_set(id, digest, HASH_LEN);
}
