/* SPDX-License-Identifier: GPL-2.0 */
/* Libarchive: its functions, loaded with the first compressed file or archive. */
#ifndef TOOL_LIBARCHIVE_H
#define TOOL_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/* Names without "archive_". */
/* clang-format off */
#define LIBARCHIVE_FUNCTIONS(F)						\
	F(free) F(error_string) F(filter_bytes)				\
	F(entry_new) F(entry_free) F(entry_clear)			\
	F(entry_pathname) F(entry_filetype) F(entry_perm)		\
	F(entry_size) F(entry_symlink) F(entry_hardlink)		\
	F(entry_set_pathname) F(entry_set_filetype) F(entry_set_perm)	\
	F(entry_set_size) F(entry_set_mtime) F(entry_set_symlink)	\
	F(read_new) F(read_open) F(read_open_fd) F(read_next_header)	\
	F(read_append_filter)						\
	F(read_data) F(read_data_block)					\
	F(read_support_filter_gzip) F(read_support_filter_bzip2)	\
	F(read_support_filter_xz) F(read_support_filter_zstd)		\
	F(read_support_format_raw) F(read_support_format_tar)		\
	F(write_new) F(write_open_fd) F(write_close)			\
	F(write_header) F(write_data) F(write_set_bytes_in_last_block)	\
	F(write_add_filter_zstd) F(write_set_format_pax_restricted)
/* clang-format on */

extern struct libarchive {
#define LIBARCHIVE_POINTER(name) __typeof__(archive_##name) *name;
	LIBARCHIVE_FUNCTIONS(LIBARCHIVE_POINTER)
#undef LIBARCHIVE_POINTER
} libarchive;

/* Call it before any of these. Returns NULL, or why it cannot be loaded. */
const char *libarchive_load(void);

#endif
