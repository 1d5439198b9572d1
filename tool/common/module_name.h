/* SPDX-License-Identifier: GPL-2.0 */
/* Module name: the canonical name of a kernel module, from any spelling. */
#ifndef TOOL_MODULE_NAME_H
#define TOOL_MODULE_NAME_H

/* The kernel's limit is 56. */
#define MODULE_NAME_ROOM 64

/*
 * The name as in /proc/modules: "snd_hda_intel" for ".../snd-hda-intel.ko.xz"; for
 * "[snd_hda_intel]", used without a known file; for "snd_hda_intel@0123abcd.ko", used if a name has
 * several contents; and for itself. "" for anything longer than a name can be.
 */
void module_name(const char *path, char name[MODULE_NAME_ROOM]);

#endif
