/* SPDX-License-Identifier: GPL-2.0 */
/* Module name: what the kernel calls a module, by what others call it. */
#ifndef TOOL_MODULE_NAME_H
#define TOOL_MODULE_NAME_H

/* Of the kernel's 56, with room. */
#define MODULE_NAME_ROOM 64

/*
 * As in /proc/modules: "snd_hda_intel" of ".../snd-hda-intel.ko.xz", of "[snd_hda_intel]",
 * where no file was known, of "snd_hda_intel@0123abcd.ko", of several contents, and of
 * itself. "" of what is longer than any.
 */
void module_name(const char *path, char name[MODULE_NAME_ROOM]);

#endif
