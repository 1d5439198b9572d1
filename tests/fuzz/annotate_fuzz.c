// SPDX-License-Identifier: GPL-2.0
/*
 * buildid annotate as a whole: a perf.data and a log, both of any content. An input is the
 * size of the perf.data in eight bytes, the perf.data, and the log; a log of boot 0 is one of
 * this boot.
 */

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "commands/annotate.h"
#include "fuzz.h"
#include "identities/boot.h"
#include "identities/log.h"
#include "perf_events.h"
#include "perfdata/perfdata.h"

static const char *log_path(const uint8_t *bytes, size_t size)
{
	static const uint8_t none[16];
	struct log_header header;
	const char *path = fuzz_path(1, bytes, size);

	if (size < sizeof(header))
		return path;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.boot_id, none, sizeof(none)) != 0)
		return path;
	boot_id_read(header.boot_id);
	if (pwrite(fuzz_fd(1, bytes, size), &header, sizeof(header), 0) != sizeof(header))
		fuzz_die("the log cannot be written");
	return path;
}

static void expect_readable(const char *path)
{
	struct perfdata *data = perfdata_open(path);
	struct perfdata_mapping mapping;
	const struct perfdata_dso *dsos;

	perfdata_dsos(data, true, &dsos);
	perfdata_rewind(data);
	while (perfdata_next_mapping(data, &mapping) > 0)
		;
	if (perfdata_error(data))
		fuzz_die("annotated: %s", perfdata_error(data));
	perfdata_close(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct annotation annotation = {};
	static int no_signals = -1;
	struct output out;
	uint64_t data_size;

	if (size < sizeof(data_size))
		return 0;
	memcpy(&data_size, bytes, sizeof(data_size));
	bytes += sizeof(data_size);
	size -= sizeof(data_size);
	if (data_size > size)
		data_size = size;

	if (no_signals < 0) {
		no_signals = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		fuzz_silence();
	}
	annotation.path = fuzz_path(0, bytes, data_size);
	annotation.log = log_path(bytes + data_size, size - data_size);
	annotation.output = fuzz_name("perf.data");
	annotation.keep_names = size & 1;
	annotation.signals = no_signals;
	out_init(&out, stdout, size & 2);
	if (annotate(&out, &annotation)) {
		fuzz_count("annotated");
		expect_readable(annotation.output);
		perf_events_compare(bytes, data_size, annotation.output);
		unlink(annotation.output);
	} else {
		fuzz_count("refused");
	}
	return 0;
}
