// SPDX-License-Identifier: GPL-2.0
/* Seeds: logs of some of the records there are, of what perfdata_seeds.c has mapped. */

#include <string.h>

#include "identities/log.h"
#include "seeds.h"
#include "streams.h"

static unsigned char log_bytes[1 << 16];
static size_t log_size;
static uint64_t records;

static void append(const void *bytes, size_t size)
{
	memcpy(log_bytes + log_size, bytes, size);
	log_size += size;
}

static void put(union any_record *record, uint64_t time)
{
	record->header.seq = ++records;
	record->header.time_mono = record->header.time_perf = time;
	append(record, record->header.size);
}

static void put_file(uint64_t ino, uint64_t time, const char *path)
{
	union any_record record;

	make_file(&record, ino, ino == 9 ? 8 : 20, 0, path);
	record.file.ino = record.file.user_ino = ino;
	record.file.ctime = record.file.mtime = 1700000000000000000;
	put(&record, time);
}

/* Inode 8 has yet to be read when it is mapped. */
static void put_mapping(uint32_t pid, uint64_t addr, uint64_t len, uint64_t ino, uint64_t time,
			const char *path)
{
	union any_record record;

	if (ino != 8)
		put_file(ino, time, path);
	make_mmap(&record, ino, ino == 8 ? BUILDID_STATE_FOLLOWS : BUILDID_STATE_KNOWN, pid);
	record.mmap.addr = addr;
	record.mmap.len = len;
	record.mmap.pgoff = 0;
	put(&record, time);
	if (ino == 8)
		put_file(ino, time, path);
}

static void put_images(void)
{
	union any_record record;

	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.12");
	put(&record, 1);
	make_image(&record, BUILDID_RECORD_MODULE, 20, "loop");
	record.image.addr = 0xffffffffc0000000;
	record.image.len = 0x1000;
	put(&record, 105);
	make_image(&record, BUILDID_RECORD_MODULE, 0, "loop");
	record.image.addr = 0xffffffffc0000000;
	record.image.len = 0x1000;
	record.image.flags = BUILDID_IMAGE_UNLOAD;
	put(&record, 155);
}

static void put_others(void)
{
	union any_record record;

	make_cookie(&record, 10, 16);
	put(&record, 172);
	make_process(&record, BUILDID_RECORD_EXIT, 10, 0);
	put(&record, 173);
	make_lost(&record, 3);
	put(&record, 174);
}

static void put_tasks(void)
{
	union any_record record;

	make_process(&record, BUILDID_RECORD_FORK, 11, 10);
	put(&record, 110);
	make_process(&record, BUILDID_RECORD_EXEC, 11, 0);
	put(&record, 160);
}

/* Of boot 0. */
const unsigned char *seed_make_log(unsigned int number, size_t *size)
{
	const bool of_perf = number & 64;
	const struct log_header header = {
		.magic = LOG_MAGIC,
		.byte_order = LOG_BYTE_ORDER,
		.version = of_perf ? LOG_VERSION_SOURCE : LOG_VERSION,
		.size = sizeof(header),
		.abi = BUILDID_ABI_VERSION,
		.time_real = 1700000000000000000,
		.source = of_perf ? LOG_SOURCE_PERF : LOG_SOURCE_MODULE,
	};
	struct log_end end = {
		.header = { .type = LOG_RECORD_END, .size = sizeof(end), .time_mono = 200 },
		.time_real = header.time_real + 200,
	};

	log_size = records = 0;
	make_extra = number & 32 ? 8 : 0;
	append(&header, sizeof(header));
	if (number & 1)
		put_images();
	if (number & 2) {
		put_mapping(10, 0x401000, 0x1000, 7, 50, "/usr/bin/program");
		put_mapping(10, 0x7f0000001000, 0x2008, 8, 99, "/usr/lib/library.so");
	}
	if (number & 4)
		put_tasks();
	if (number & 8)
		put_mapping(11, 0x400000, 0x1000, 9, 169, "/usr/lib/library.so");
	if (number & 16)
		put_others();
	end.records = records;
	append(&end, sizeof(end));
	make_extra = 0;
	*size = log_size;
	return log_bytes;
}

void seed_log(void)
{
	const unsigned char *bytes;
	unsigned int i;
	size_t size;

	for (i = 0; i < SEED_LOGS; i++) {
		bytes = seed_make_log(i, &size);
		seed_write("log", bytes, size);
	}
}
