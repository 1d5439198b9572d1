// SPDX-License-Identifier: GPL-2.0
/*
 * fuse_file MOUNTPOINT FILE [silent|direct|stops|numbers|failing|waiting]
 *
 * Mounts a file system that consists of one file, "file", with the content of
 * FILE, says "mounted", and serves it until it is unmounted.
 *
 *	silent		never answers a read
 *	direct		never answers a read, and bypasses the page cache
 *	stops		answers no read any more after SIGUSR1
 *	failing		fails the first read, and when it is tried again; nothing is cached
 *	waiting		answers the first read after SIGUSR1; nothing is cached
 *	numbers		has a file of every name that is a number, which is its
 *			inode's; for nobody, and by nobody
 *
 * This speaks to the kernel itself, as libfuse would hide what is left
 * unanswered, and be one more thing to install.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE 2
#define READ_MAX  (128 * 1024)
#define NOBODY	  65534

static int device;
static int content;
static struct stat content_stat;
static volatile sig_atomic_t silent;
static bool direct;
static bool numbers;
static int failing; /* how many reads yet */
static bool waiting;

/* The read that is answered on a signal. */
static struct {
	struct fuse_in_header in;
	struct fuse_read_in args;
	bool is_there;
} waits;

static volatile sig_atomic_t signalled;

static void be_signalled(int signal)
{
	(void)signal;
	signalled = 1;
}

static void be_silent(int signal)
{
	(void)signal;
	silent = 1;
}

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t size)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + size),
		.error = -error,
		.unique = in->unique,
	};
	struct iovec parts[] = {
		{ &out, sizeof(out) },
		{ (void *)data, size },
	};

	/* ENOENT: whoever asked was killed meanwhile. */
	if (writev(device, parts, 2) < 0 && errno != ENOENT)
		err(1, "reply");
}

static struct fuse_attr attributes(uint64_t node)
{
	bool is_file = node != FUSE_ROOT_ID;

	return (struct fuse_attr){
		.ino = node,
		.size = is_file ? (uint64_t)content_stat.st_size : 0,
		.mtime = (uint64_t)content_stat.st_mtime,
		.ctime = (uint64_t)content_stat.st_ctime,
		.mode = is_file ? S_IFREG | 0755 : S_IFDIR | 0755,
		.nlink = 1,
	};
}

static void lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out entry = {
		.nodeid = FILE_NODE,
		.attr = attributes(FILE_NODE),
	};

	if (numbers && name[0] >= '0' && name[0] <= '9') {
		entry.nodeid = strtoull(name, NULL, 10);
		entry.attr = attributes(entry.nodeid);
		reply(in, 0, &entry, sizeof(entry));
	} else if (in->nodeid != FUSE_ROOT_ID || strcmp(name, "file"))
		reply(in, ENOENT, NULL, 0);
	else
		reply(in, 0, &entry, sizeof(entry));
}

static void read_file(const struct fuse_in_header *in, const struct fuse_read_in *args)
{
	static char buffer[READ_MAX];
	size_t size = args->size < sizeof(buffer) ? args->size : sizeof(buffer);
	ssize_t done;

	if (silent)
		return;
	if (failing) {
		failing--;
		reply(in, EIO, NULL, 0);
		return;
	}
	if (waiting) {
		waiting = false;
		waits.in = *in;
		waits.args = *args;
		waits.is_there = true;
		return;
	}
	done = pread(content, buffer, size, (off_t)args->offset);
	if (done < 0)
		reply(in, EIO, NULL, 0);
	else
		reply(in, 0, buffer, (size_t)done);
}

static void answer_what_waits(void)
{
	if (!signalled || !waits.is_there)
		return;
	waits.is_there = false;
	read_file(&waits.in, &waits.args);
}

static void answer(const struct fuse_in_header *in, const void *args)
{
	struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { .open_flags = direct ? FOPEN_DIRECT_IO : 0 };
	struct fuse_statfs_out statfs = { .st = { .namelen = 255 } };
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = READ_MAX,
		.max_write = 4096,
		.flags = FUSE_ASYNC_READ,
	};

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		lookup(in, args);
		break;
	case FUSE_GETATTR:
		reply(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		reply(in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		read_file(in, args);
		break;
	case FUSE_STATFS:
		reply(in, 0, &statfs, sizeof(statfs));
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in, ENOSYS, NULL, 0);
		break;
	}
}

int main(int argc, char **argv)
{
	static union {
		struct fuse_in_header header;
		char bytes[READ_MAX];
	} request;
	/* unlike signal(3)'s, it interrupts the read below */
	struct sigaction action = { .sa_handler = be_signalled };
	char options[128];
	const char *mode;
	uid_t user;

	if (argc < 3)
		errx(2,
		     "usage: fuse_file MOUNTPOINT FILE [silent|direct|stops|numbers|failing|waiting]");
	mode = argc > 3 ? argv[3] : "";
	direct = !strcmp(mode, "direct");
	silent = direct || !strcmp(mode, "silent");
	failing = strcmp(mode, "failing") ? 0 : 2;
	waiting = !strcmp(mode, "waiting");
	direct |= failing || waiting;
	if (waiting && sigaction(SIGUSR1, &action, NULL))
		err(1, "sigaction");
	numbers = !strcmp(mode, "numbers");
	user = numbers ? NOBODY : 0;
	if (!strcmp(mode, "stops"))
		signal(SIGUSR1, be_silent);
	content = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (content < 0 || fstat(content, &content_stat))
		err(1, "%s", argv[2]);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other", device, user, user);
	if (mount("fuse_file", argv[1], "fuse", 0, options))
		err(1, "%s", argv[1]);
	if (setresgid(user, user, user) || setresuid(user, user, user))
		err(1, "setresuid");
	puts("mounted");
	fflush(stdout);

	for (;;) {
		ssize_t size = read(device, &request, sizeof(request));

		if (size < 0 && errno == ENODEV)
			return 0; /* unmounted */
		if (size < 0 && errno != EINTR && errno != ENOENT)
			err(1, "request");
		if (size > 0)
			answer(&request.header, &request.header + 1);
		answer_what_waits();
	}
}
