/* SPDX-License-Identifier: GPL-2.0 */
/* Page parts: the files of page/, which tool/Makefile puts into the program; see scripts/page. */
#ifndef TOOL_PAGE_PARTS_H
#define TOOL_PAGE_PARTS_H

/* With the style and the script, and <!--NAME--> where what differs goes. */
extern const char page_html[];
extern const char page_style[];
extern const char page_script[];

#endif
