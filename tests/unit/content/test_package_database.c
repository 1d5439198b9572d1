// SPDX-License-Identifier: GPL-2.0
/* Package database: each distribution's format, and invalid ones. */

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "content/package_database.h"
#include "packaged.h"
#include "streams.h"

static char directory[] = "/tmp/buildid-database.XXXXXX";
static struct packages found;

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	packages_free(&found);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command))
		return -1;
	strcpy(directory, "/tmp/buildid-database.XXXXXX");
	return 0;
}

static struct package_database *open_database(void)
{
	int root = open(directory, O_PATH | O_DIRECTORY);
	struct package_database *database = package_database_open(root);

	close(root);
	assert_non_null(database);
	return database;
}

static const char *owner_of(const struct package_database *database, const char *path)
{
	packages_free(&found);
	package_database_find(database, path, &found.all[0]);
	found.count = found.all[0].origin != PACKAGE_NONE;
	return found.count ? found.all[0].text[PACKAGE_NAME] : NULL;
}

/* ------------------------------------------------------------------ dpkg -- */

static const char status[] =
	"Package: libssl3\nStatus: install ok installed\nArchitecture: amd64\n"
	"Multi-Arch: same\nSource: openssl\nVersion: 3.0.11-1~deb12u2\n"
	"Description: text\n Version: 9\n .\n Package: no\n\n"
	"Package: libc6\nStatus: hold ok unpacked\nArchitecture: amd64\nMulti-Arch: same\n"
	"Source: glibc (2.36-9)\nVersion: 2.36-9+deb12u4\n\n"
	"Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n\n"
	"Package: ../../../etc/evil\nStatus: install ok installed\nVersion: 1\n\n"
	"Package: bash\nStatus: install ok installed\nVersion: 5.2\n\n"
	"package: dash\nstatus: install ok installed\nversion: 0.5\n";

static void dpkg_knows_whose_a_path_is(void **state)
{
	struct package_database *database;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libssl3:amd64.list",
		      "/.\n/usr\n/usr/lib\n/usr/lib/libssl.so.3\n");
	packaged_file(directory, "var/lib/dpkg/info/libc6:amd64.list",
		      "/.\n/lib\n/usr\n/usr/lib\n/lib/libc.so.6\n");
	packaged_file(directory, "var/lib/dpkg/info/gone.list", "/usr/bin/gone\n");
	packaged_file(directory, "var/lib/dpkg/info/dash.list",
		      "/.\n/usr\n/bin\n/bin/dash\n/bin/sh\n");
	packaged_file(directory, "var/lib/dpkg/info/bash.list", "/.\n/bin\n/bin/sh\n/bin/ls\n");
	packaged_file(directory, "var/lib/dpkg/diversions",
		      "/bin/sh\n/bin/sh.distrib\ndash\n/bin/ls\n/bin/ls.distrib\n:\n");
	packaged_file(directory, "etc/os-release", "NAME=\"x\"\nID=debian\nVERSION_ID=\"12\"\n");
	database = open_database();
	assert_string_equal(owner_of(database, "usr/lib/libssl.so.3"), "libssl3");
	packaged_expect(&found, PACKAGE_VERSION, "3.0.11-1~deb12u2");
	packaged_expect(&found, PACKAGE_SOURCE, "openssl");
	packaged_expect(&found, PACKAGE_SOURCE_VERSION, NULL);
	packaged_expect(&found, PACKAGE_OS, "debian");
	packaged_expect(&found, PACKAGE_OS_VERSION, "12");
	assert_int_equal(packaged_match(&found, "openssl=3.0.11"), PACKAGE_MATCHES);
	assert_int_equal(packaged_match(&found, "libssl3=3.0.11"), PACKAGE_MATCHES);
	assert_string_equal(owner_of(database, "/lib/libc.so.6"), "libc6");
	packaged_expect(&found, PACKAGE_SOURCE_VERSION, "2.36-9");
	/* what several have, nobody has, and what is not there */
	assert_null(owner_of(database, "usr/lib"));
	assert_null(owner_of(database, "usr/bin/none"));
	assert_null(owner_of(database, "usr/bin/gone"));
	assert_null(owner_of(database, "usr/lib/libc.so.6"));
	assert_string_equal(owner_of(database, "bin/sh"), "dash");
	assert_string_equal(owner_of(database, "bin/sh.distrib"), "bash");
	assert_string_equal(owner_of(database, "bin/ls.distrib"), "bash");
	assert_null(owner_of(database, "bin/ls"));
	assert_true(package_database_is_current(database));
	packaged_file(directory, "var/lib/dpkg/updates/0001", "");
	/* at work: the file may be of a version that is not in the database yet */
	assert_string_equal(owner_of(database, "usr/lib/libssl.so.3"), "libssl3");
	packaged_expect(&found, PACKAGE_VERSION, NULL);
	packaged_file(directory, "var/lib/dpkg/status", status);
	assert_false(package_database_is_current(database));
	package_database_close(database);
}

static void where_lib_is_a_link_both_paths_are_known(void **state)
{
	char link[64];
	struct package_database *database;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libc6.list", "/lib/libc.so.6\n");
	snprintf(link, sizeof(link), "%s/lib", directory);
	assert_int_equal(symlink("usr/lib", link), 0);
	database = open_database();
	assert_string_equal(owner_of(database, "usr/lib/libc.so.6"), "libc6");
	package_database_close(database);
}

static void a_distroless_image_has_a_file_for_each_package(void **state)
{
	struct package_database *database;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status.d/libssl3",
		      "Package: libssl3\nVersion: 3.0.11\nArchitecture: amd64\nSource: openssl\n");
	packaged_file(directory, "var/lib/dpkg/status.d/libssl3.md5sums",
		      "d41d8cd98f00b204e9800998ecf8427e  usr/lib/libssl.so.3\n"
		      "d41d8cd98f00b204e9800998ecf8427e  ./usr/lib/libcrypto.so.3\n");
	database = open_database();
	assert_string_equal(owner_of(database, "usr/lib/libssl.so.3"), "libssl3");
	assert_string_equal(owner_of(database, "usr/lib/libcrypto.so.3"), "libssl3");
	package_database_close(database);
}

static void no_link_leads_out_of_the_root(void **state)
{
	struct package_database *database;
	char link[96];

	(void)state;
	packaged_file(directory, "var/lib/dpkg/info/libc6.list", "/x\n");
	snprintf(link, sizeof(link), "%s/var/lib/dpkg/status", directory);
	assert_int_equal(symlink("/../../../../../../var/lib/dpkg/status", link), 0);
	database = open_database();
	/* a link to itself, in this root */
	assert_null(owner_of(database, "x"));
	package_database_close(database);
}

static void a_database_of_garbage(void **state)
{
	struct package_database *database;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status",
		      ":\n\n\n\n  x\nPackage\nPackage:\n\nPackage: x\nStatus:\n\n"
		      "Package: a\x01\nStatus: install ok installed\n\n"
		      "Package: b\nStatus: install ok installed\nVersion: \xff\n\n"
		      "Package: b\nStatus: install ok installed");
	packaged_file(directory, "var/lib/dpkg/info/a\x01.list", "/a\n");
	packaged_file(directory, "var/lib/dpkg/info/b.list", "/b\n\n\n/b\nx\n/\xff");
	packaged_file(directory, "var/lib/dpkg/diversions", "\n\n\n/b\n");
	database = open_database();
	assert_null(owner_of(database, "a"));
	/* of two packages of one name neither is told */
	assert_null(owner_of(database, "b"));
	assert_null(owner_of(database, ""));
	package_database_close(database);
}

/* ------------------------------------------------------------------- apk -- */

static void assert_purl(const char *purl)
{
	char *text = package_purl(&found.all[0]);

	assert_string_equal(text, purl);
	free(text);
}

/* As Alpine 3.18 and Wolfi have it. */
static const char installed[] =
	"C:Q1KQlzJ3HhNh2v2eLPgxoEjPZ7Kks=\nP:libssl3\nV:3.1.4-r5\nA:x86_64\nS:249128\nI:487424\n"
	"T:SSL shared libraries\nU:https://www.openssl.org/\nL:Apache-2.0\no:openssl\n"
	"m:Ariadne Conill <ariadne@dereferenced.org>\nt:1706118204\nc:b784a22cad0c452586b438cb\n"
	"D:so:libc.musl-x86_64.so.1 so:libcrypto.so.3\np:so:libssl.so.3=3\nr:libressl\n"
	"F:lib\nM:0:0:755\nR:libssl.so.3\na:0:0:755\nZ:Q1CvFYjX9dGpQ9gLV1zAQ0Cj3Bs=\n"
	"F:usr\nF:usr/lib\nR:libssl.so.3\na:0:0:777\nZ:Q1j9vmw0oK1bTSx1cuPbNfNUxYnPs=\n\n"
	"P:musl\nV:1.2.4-r2\nA:x86_64\no:musl\nF:lib\nR:ld-musl-x86_64.so.1\nR:both\n"
	"F:\nR:in-the-root\n\n"
	"P:other\nV:2\nF:lib\nR:both";

static void apk_knows_whose_a_path_is(void **state)
{
	static const char *const places[] = { "lib/apk/db", "usr/lib/apk/db" };
	struct package_database *database;
	char path[64], lock[128];
	size_t i;
	int fd;

	(void)state;
	packaged_file(directory, "etc/os-release", "ID=alpine\nVERSION_ID=3.18.6\n");
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s/installed", places[i]);
		packaged_file(directory, path, installed);
		database = open_database();
		assert_string_equal(owner_of(database, "/lib/libssl.so.3"), "libssl3");
		packaged_expect(&found, PACKAGE_VERSION, "3.1.4-r5");
		packaged_expect(&found, PACKAGE_SOURCE, "openssl");
		assert_string_equal(package_origin_name(found.all[0].origin), "apk");
		assert_purl("pkg:apk/alpine/libssl3@3.1.4-r5?arch=x86_64&distro=alpine-3.18.6");
		assert_int_equal(packaged_match(&found, "openssl=3.1.4"), PACKAGE_MATCHES);
		assert_string_equal(owner_of(database, "usr/lib/libssl.so.3"), "libssl3");
		assert_string_equal(owner_of(database, "in-the-root"), "musl");
		assert_string_equal(owner_of(database, "lib/ld-musl-x86_64.so.1"), "musl");
		packaged_expect(&found, PACKAGE_SOURCE, NULL);
		/* a directory, what two have, what none has */
		assert_null(owner_of(database, "lib"));
		assert_null(owner_of(database, "lib/both"));
		assert_null(owner_of(database, "lib/libcrypto.so.3"));
		/* while apk has its lock the database is behind what is there */
		snprintf(path, sizeof(path), "%s/lock", places[i]);
		packaged_file(directory, path, "");
		owner_of(database, "lib/libssl.so.3");
		packaged_expect(&found, PACKAGE_VERSION, "3.1.4-r5");
		snprintf(lock, sizeof(lock), "%s/%s", directory, path);
		fd = open(lock, O_RDWR);
		assert_int_equal(flock(fd, LOCK_EX), 0);
		owner_of(database, "lib/libssl.so.3");
		packaged_expect(&found, PACKAGE_VERSION, NULL);
		close(fd);
		assert_true(package_database_is_current(database));
		snprintf(path, sizeof(path), "%s/installed", places[i]);
		snprintf(lock, sizeof(lock), "%s/%s", directory, path);
		assert_int_equal(unlink(lock), 0);
		assert_false(package_database_is_current(database));
		package_database_close(database);
	}
}

/* As Alpine 3.22 has /lib in a new installation, while packages still say lib/. */
static void where_lib_is_a_link_apk_knows_both_paths(void **state)
{
	struct package_database *database;
	char link[64];

	(void)state;
	packaged_file(directory, "usr/lib/apk/db/installed", installed);
	snprintf(link, sizeof(link), "%s/lib", directory);
	assert_int_equal(symlink("usr/lib", link), 0);
	database = open_database();
	assert_string_equal(owner_of(database, "usr/lib/ld-musl-x86_64.so.1"), "musl");
	package_database_close(database);
}

static void a_database_of_apk_of_garbage(void **state)
{
	char *text = malloc(3 << 20), *at = text;
	struct package_database *database;

	(void)state;
	assert_non_null(text);
	at = stpcpy(at, "R:first\nF:x\n\n\n\nP\nP:\nV:\n\nP:a\x01\nF:\nR:a\n\nF:x\nR:nameless\n\n");
	at = stpcpy(at, "P:long\nV:");
	memset(at, 'v', 1 << 20);
	at = stpcpy(at + (1 << 20), "\nF:ok\nR:file\nF:");
	memset(at, 'd', 1 << 20);
	at = stpcpy(at + (1 << 20), "\nR:in-a-long-one\nP:late\nR:x");
	packaged_file(directory, "lib/apk/db/installed", text);
	database = open_database();
	assert_null(owner_of(database, "a"));
	assert_null(owner_of(database, "first"));
	assert_null(owner_of(database, "x/nameless"));
	assert_null(owner_of(database, "in-a-long-one"));
	assert_null(owner_of(database, ""));
	package_database_close(database);
	free(text);
}

/* ---------------------------------------------------------------- pacman -- */

static void put_pacman(const char *name, const char *desc, const char *files)
{
	char path[128];

	snprintf(path, sizeof(path), "var/lib/pacman/local/%s/desc", name);
	packaged_file(directory, path, desc);
	if (!files)
		return;
	snprintf(path, sizeof(path), "var/lib/pacman/local/%s/files", name);
	packaged_file(directory, path, files);
}

static void pacman_knows_whose_a_path_is(void **state)
{
	struct package_database *database;

	(void)state;
	packaged_file(directory, "etc/os-release", "NAME=\"Arch Linux\"\nID=arch\n");
	packaged_file(directory, "var/lib/pacman/local/ALPM_DB_VERSION", "9\n");
	put_pacman("zlib-1:1.3.1-2",
		   "%NAME%\nzlib\n\n%VERSION%\n1:1.3.1-2\n\n%BASE%\nzlib\n\n%DESC%\nCompression\n"
		   "\n%ARCH%\nx86_64\n\n%LICENSE%\nZlib\n\n%DEPENDS%\nglibc\n\n",
		   "%FILES%\nusr/\nusr/lib/\nusr/lib/libz.so.1.3.1\nusr/share/both\n\n");
	put_pacman("gcc-libs-14.1.1-1",
		   "%NAME%\ngcc-libs\n\n%VERSION%\n14.1.1-1\n\n%BASE%\ngcc\n\n%ARCH%\nx86_64\n\n",
		   "%FILES%\nusr/\nusr/lib/\nusr/lib/libgcc_s.so.1\nusr/share/both\n\n%BACKUP%\n"
		   "etc/gcc.conf\td41d8cd98f00b204e9800998ecf8427e\n\n");
	put_pacman("half-1-1", "%NAME%\nhalf\n", NULL);
	database = open_database();
	assert_string_equal(owner_of(database, "usr/lib/libz.so.1.3.1"), "zlib");
	packaged_expect(&found, PACKAGE_SOURCE, NULL);
	assert_string_equal(package_origin_name(found.all[0].origin), "pacman");
	assert_purl("pkg:alpm/arch/zlib@1%3A1.3.1-2?arch=x86_64");
	assert_int_equal(packaged_match(&found, "zlib=1.3.1"), PACKAGE_MATCHES);
	assert_string_equal(owner_of(database, "usr/lib/libgcc_s.so.1"), "gcc-libs");
	assert_int_equal(packaged_match(&found, "gcc=14.1.1"), PACKAGE_MATCHES);
	assert_null(owner_of(database, "usr/share/both"));
	assert_null(owner_of(database, "usr/lib/"));
	assert_null(owner_of(database, "usr/lib"));
	assert_null(owner_of(database, "etc/gcc.conf"));
	assert_true(package_database_is_current(database));
	packaged_file(directory, "var/lib/pacman/db.lck", "");
	owner_of(database, "usr/lib/libz.so.1.3.1");
	packaged_expect(&found, PACKAGE_VERSION, NULL);
	put_pacman("new-1-1", "%NAME%\nnew\n\n", "%FILES%\nusr/bin/new\n");
	assert_false(package_database_is_current(database));
	package_database_close(database);
}

static void a_database_of_pacman_of_garbage(void **state)
{
	struct package_database *database;
	char *text = malloc((1 << 20) + 64), path[128];

	(void)state;
	assert_non_null(text);
	memset(text, '%', 1 << 20);
	strcpy(text + (1 << 20), "\n%NAME%");
	put_pacman("cut", text, "%FILES%\ncut\n");
	put_pacman("empty", "%NAME%\n\n\n%VERSION%", "%FILES%\nempty\n");
	put_pacman("control", "%NAME%\na\x1b[2J\n", "%FILES%\ncontrol\n");
	put_pacman("slash", "%NAME%\nslash\n\n%VERSION%\n%NAME%\n",
		   "no/section\n\n%FILES%\n/etc/../slash\n%FILES%\nslash");
	free(text);
	/* a FIFO would have its reader wait, and a link may lead to what is not this root's */
	snprintf(path, sizeof(path), "%s/var/lib/pacman/local/fifo", directory);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/desc");
	assert_int_equal(mkfifo(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/var/lib/pacman/local/link", directory);
	assert_int_equal(symlink("/usr/lib", path), 0);
	database = open_database();
	assert_null(owner_of(database, "cut"));
	assert_null(owner_of(database, "empty"));
	assert_null(owner_of(database, "control"));
	assert_null(owner_of(database, "no/section"));
	assert_string_equal(owner_of(database, "slash"), "slash");
	packaged_expect(&found, PACKAGE_VERSION, "%NAME%");
	package_database_close(database);
}

/* ------------------------------------------------------------------- all -- */

static void what_is_no_file_is_no_database(void **state)
{
	static const char *const places[] = { "var/lib/dpkg/status", "lib/apk/db/installed",
					      "var/lib/pacman/local" };
	struct package_database *database;
	char path[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s/x", places[i]);
		packaged_file(directory, path, "");
		snprintf(path, sizeof(path), "rm -r %s/%s", directory, places[i]);
		assert_int_equal(system(path), 0);
		snprintf(path, sizeof(path), "%s/%s", directory, places[i]);
		assert_int_equal(mkfifo(path, 0644), 0);
	}
	database = open_database();
	assert_null(owner_of(database, "x"));
	assert_true(package_database_is_current(database));
	package_database_close(database);
}

static void a_path_that_two_databases_have_is_of_none(void **state)
{
	struct package_database *database;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libssl3.list", "/lib/libssl.so.3\n/lib/x\n");
	packaged_file(directory, "lib/apk/db/installed", installed);
	database = open_database();
	assert_null(owner_of(database, "lib/libssl.so.3"));
	assert_string_equal(owner_of(database, "lib/x"), "libssl3");
	assert_string_equal(owner_of(database, "in-the-root"), "musl");
	package_database_close(database);
}

size_t __attribute__((weak)) __sanitizer_get_current_allocated_bytes(void);

static size_t allocated(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Anybody can make a root directory for their processes, and put anything there. */
static void a_database_takes_no_more_memory_than_a_large_one(void **state)
{
	const off_t size = 60 << 20;
	struct package_database *database;
	char path[96], other[96];
	int i;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/status.d/hole0", "Package: x\n");
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status.d/hole0", directory);
	for (i = 1; i < 8; i++) {
		snprintf(other, sizeof(other), "%s/var/lib/dpkg/status.d/hole%d", directory, i);
		assert_int_equal(link(path, other), 0);
	}
	assert_int_equal(truncate(path, size), 0);
	database = open_database();
	assert_in_range(allocated(), 0, size);
	package_database_close(database);
}

static void write_lines(const char *name, size_t size)
{
	char *lines = malloc(size + 1);

	memset(lines, '\n', size);
	lines[size] = '\0';
	packaged_file(directory, name, lines);
	free(lines);
}

static void assert_unread(void)
{
	struct package_database *database = open_database();

	assert_true(package_database_is_unread(database));
	assert_null(owner_of(database, "usr/lib/libssl.so.3"));
	package_database_close(database);
}

static void what_is_beyond_a_large_database_is_none(void **state)
{
	char path[96], other[96];
	int i;

	(void)state;
	packaged_file(directory, "var/lib/dpkg/status", status);
	packaged_file(directory, "var/lib/dpkg/info/libssl3:amd64.list", "/usr/lib/libssl.so.3\n");
	write_lines("var/lib/dpkg/diversions", 1 << 20);
	assert_unread();
	packaged_file(directory, "var/lib/dpkg/diversions", "");
	write_lines("var/lib/dpkg/status.d/0", 60 << 20);
	snprintf(path, sizeof(path), "%s/var/lib/dpkg/status.d/0", directory);
	for (i = 1; i < 4; i++) {
		snprintf(other, sizeof(other), "%s/var/lib/dpkg/status.d/%d", directory, i);
		assert_int_equal(link(path, other), 0);
	}
	assert_unread();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(dpkg_knows_whose_a_path_is),
		TEST(where_lib_is_a_link_both_paths_are_known),
		TEST(a_distroless_image_has_a_file_for_each_package),
		TEST(no_link_leads_out_of_the_root),
		TEST(a_database_of_garbage),
		TEST(apk_knows_whose_a_path_is),
		TEST(where_lib_is_a_link_apk_knows_both_paths),
		TEST(a_database_of_apk_of_garbage),
		TEST(pacman_knows_whose_a_path_is),
		TEST(a_database_of_pacman_of_garbage),
		TEST(what_is_no_file_is_no_database),
		TEST(a_path_that_two_databases_have_is_of_none),
		TEST(a_database_takes_no_more_memory_than_a_large_one),
		TEST(what_is_beyond_a_large_database_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
