/* SPDX-License-Identifier: GPL-2.0 */
/* Module info: what a kernel module's file says about itself, as in modinfo(8). */
#ifndef TOOL_MODULE_INFO_H
#define TOOL_MODULE_INFO_H

#include <stdbool.h>

#include "common/reason.h"

struct module_info {
	char version[64];
	char source_version[64]; /* a hash of its sources, modinfo's srcversion */
	char release[128];	 /* of the kernel that it was built for */
	bool is_signed;
	/* Of the certificate; "" if unknown. */
	char signer[256]; /* the first part of its issuer's name */
	char serial[64];  /* its number: "1a:2b:3c" */
};

/* False with @reason if the file cannot be read; missing fields are "". */
bool module_info_read(const char *path, struct module_info *info, struct reason *reason);

#endif
