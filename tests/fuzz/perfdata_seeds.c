// SPDX-License-Identifier: GPL-2.0
/* Seeds: perf.data of each shape: piped, compressed, with AUX data ... */

#include <string.h>

#include "seeds.h"

static struct make make;

const struct make *seed_make_perfdata(unsigned int number)
{
	static const unsigned char aux[100];

	memset(&make, 0, sizeof(make));
	make.clockid = number & 1 ? 1 : -1;
	make.pipe = number & 2;
	make.sample_type = number & 4 ? MAKE_SAMPLE | PERFDATA_SAMPLE_IDENTIFIER |
						PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_READ :
					MAKE_SAMPLE;
	make.other_attr = number & 4;
	make.aux = number & 8;
	make_entry(&make, PERFDATA_MISC_USER, 0x20, "/usr/bin/program");
	make_entry(&make, PERFDATA_MISC_KERNEL, 0x30, "[kernel.kallsyms]");
	make_begin(&make);
	make_mmap_event(&make, PERFDATA_MISC_KERNEL, UINT32_MAX, 0xffffffff81001000, 0x8, 0,
			"[kernel.kallsyms]_text");
	make_mmap_event(&make, PERFDATA_MISC_USER, 9, 0x401000, 0x1000, 0, "/old");
	make_mmap2_event(&make, 10, 0x401000, 0x1000, 0, 7, 0, "/usr/bin/program");
	make_mmap2_event(&make, 10, 0x7f0000001000, 0x2008, 0, 8, 100, "/usr/lib/library.so");
	make_task(&make, PERFDATA_FORK, 0, 11, 10, 110);
	make_sample(&make, PERFDATA_MISC_USER, 11, 150, 0x7f0000001010);
	make_task(&make, PERFDATA_COMM, PERFDATA_MISC_EXEC, 11, 0, 160);
	make_mmap2_event(&make, 11, 0x400000, 0x1000, 0, 9, 170, "/usr/lib/library.so");
	make_build_id(&make, PERFDATA_MISC_USER, 0x30, "/usr/bin/program");
	make_round(&make);
	if (make.aux)
		make_auxtrace(&make, aux, sizeof(aux));
	if (number & 16) {
		if (make.pipe)
			make.events += 8 + sizeof(struct perfdata_attr) + 8;
		make_pack(&make, number & 1 ? PERFDATA_COMPRESSED2 : PERFDATA_COMPRESSED, 90);
	}
	make_end(&make);
	return &make;
}

void seed_perfdata(void)
{
	unsigned int i;

	for (i = 0; i < SEED_PERFDATA; i++) {
		seed_make_perfdata(i);
		seed_write("perfdata", make.bytes, make.size);
	}
}
