/* SPDX-License-Identifier: GPL-2.0 */
/* Module name: what a kernel module is called, however it is written. */
#ifndef TOOL_MODULE_NAME_H
#define TOOL_MODULE_NAME_H

/* The kernel's limit is 56. */
#define MODULE_NAME_ROOM 64

/*
 * The name as in /proc/modules: "snd_hda_intel" for ".../snd-hda-intel.ko.xz", for
 * "[snd_hda_intel]", where no file was known, for "snd_hda_intel@0123abcd.ko", where a
 * name had several contents, and for itself. "" for what is longer than any name.
 */
void module_name(const char *path, char name[MODULE_NAME_ROOM]);

#endif
