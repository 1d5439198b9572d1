// SPDX-License-Identifier: GPL-2.0
/* Samples: real files of this machine, copied to be changed. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples.h"
#include "streams.h"

static char directory[64];
static char output[65536];

int sample_set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/buildid-test.XXXXXX");
	if (!mkdtemp(directory) || chdir(directory) || setenv("HOME", directory, 1))
		return -1;
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

int sample_tear_down(void **state)
{
	(void)state;
	if (chdir("/"))
		return -1;
	shell("rm -r %s", directory);
	return 0;
}

const char *sample_directory(void)
{
	return directory;
}

void shell(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

const char *shell_output(const char *format, ...)
{
	char command[1024];
	va_list arguments;
	FILE *pipe_;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	pipe_ = popen(command, "r");
	assert_non_null(pipe_);
	output[fread(output, 1, sizeof(output) - 1, pipe_)] = '\0';
	assert_int_equal(pclose(pipe_), 0);
	return output;
}

void sample_make(const char *name)
{
	shell("cp /bin/%s %s", name, name);
}

void sample_id(const char *path, struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	assert_int_equal(sscanf(shell_output("readelf -n %s | sed -n 's/.*Build ID: //p'", path),
				"%256s", text),
			 1);
	assert_true(build_id_parse(id, text));
}
