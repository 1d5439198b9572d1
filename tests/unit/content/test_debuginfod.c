// SPDX-License-Identifier: GPL-2.0
/* Unit tests of debuginfod.c: what is reported when no server answers. */

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "content/debuginfod.h"

#define GONE "debuginfod: Connection refused"

static char cache[] = "/tmp/buildid-debuginfod-XXXXXX";
static char url[64];
static struct debuginfod *client;
static struct reason reason;

/* Held, but not listened at: nobody else can have it meanwhile. */
static int refusing;

static int set_up(void **state)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);

	(void)state;
	refusing = socket(AF_INET, SOCK_STREAM, 0);
	if (refusing < 0 || bind(refusing, (void *)&address, size) ||
	    getsockname(refusing, (void *)&address, &size) || !mkdtemp(cache))
		return -1;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(address.sin_port));
	return setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	close(refusing);
	snprintf(command, sizeof(command), "rm -r %s", cache);
	return system(command);
}

static int begin(void **state)
{
	(void)state;
	client = debuginfod_new();
	return client ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	debuginfod_free(client);
	return 0;
}

/* Of a content of its own, as a miss is remembered. */
static const char *ask(void)
{
	static uint8_t number;
	const uint8_t bytes[20] = { ++number };
	struct build_id id;
	char *path;

	assert_true(build_id_set(&id, bytes, sizeof(bytes)));
	assert_int_equal(debuginfod_get(client, &id, CONTENT_ELF, &path, &reason), -1);
	assert_null(path);
	return reason.text;
}

static void without_a_server_nobody_is_asked(void **state)
{
	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	assert_string_equal(ask(), "DEBUGINFOD_URLS is not set");
	setenv("DEBUGINFOD_URLS", " ", 1);
	assert_string_equal(ask(), "DEBUGINFOD_URLS is not set");
}

static void a_single_server_that_is_gone_is_asked_twice(void **state)
{
	(void)state;
	setenv("DEBUGINFOD_URLS", url, 1);
	assert_string_equal(ask(), GONE);
	assert_string_equal(ask(), GONE);
	assert_string_equal(ask(), "debuginfod: skipped, as the server did not respond");
}

static void of_several_servers_each_is_asked_each_time(void **state)
{
	char urls[2 * sizeof(url) + 8];
	int i;

	(void)state;
	snprintf(urls, sizeof(urls), "%s %s/other", url, url);
	setenv("DEBUGINFOD_URLS", urls, 1);
	for (i = 0; i < 3; i++)
		assert_string_equal(ask(), GONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_server_nobody_is_asked),
		TEST(a_single_server_that_is_gone_is_asked_twice),
		TEST(of_several_servers_each_is_asked_each_time),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
