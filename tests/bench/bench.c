// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench DIR [PART...]
 *
 * Counts what scripts/bench reports, or only these parts of it, in a guest that
 * scripts/bench prepared: DIR has buildid.ko, the modules of kmod/, the program
 * spawn, a disk with ELF files and small roots, and perhaps a btrfs.
 *
 * All subjects take turns in each round, so that what drifts hits them all.
 * What is counted is also checked: that the module went the way through its
 * code that the line is named for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "hook.h"
#include "measure.h"
#include "others.h"
#include "subject.h"
#include "workload.h"

/* Each is done ROUNDS times. */
#define ROUNDS	 4
#define BATCHES	 12
#define WINDOWS	 4
#define DRAINS	 8
#define SPAWNS	 30
#define MEASURED 32
#define CALLS	 32
/* The first ones fill caches and do not count. */
#define WARM_UPS      2
#define DISCARDED_MAX 4

#define FILES	  256
#define SNAPSHOTS 24
#define TABLE	  "2097152"
#define EXEC	  (PROT_READ | PROT_EXEC)

static int files[FILES], same[FILES];

/* A window's work is longer, as it is harder to tell apart from all the rest. */
static const struct workload one = { same, 32, EXEC };
static const struct workload one_long = { same, 256, EXEC };
static const struct workload data = { same, 32, PROT_READ };
static const struct workload many = { files, 32, EXEC };
static const struct workload all = { files, FILES, EXEC };

/**
 * struct subject - a way to be watched
 * @name: of its series
 * @work: what is watched
 * @machine: count what all the machine does, or else what the mapper does
 * @begin: done when the mapper is there, or NULL
 * @end: and at the end, or NULL
 * @before: done before each batch, or NULL
 * @drain: empties the ring after each batch, or NULL
 * @module: buildid.ko is there; the rest is what it does for each mapping
 * @hits: of the cache
 * @reads: files that the mapper reads
 * @records: records drained
 */
struct subject {
	const char *name;
	const struct workload *work;
	bool machine;
	void (*begin)(pid_t mapper);
	void (*end)(void);
	void (*before)(const struct subject *subject);
	struct tally (*drain)(void);
	bool module;
	unsigned int hits;
	unsigned int reads;
	unsigned int records;
};

static void forget_files(const struct subject *subject)
{
	device_flush();
}

static void forget_files_and_pages(const struct subject *subject)
{
	device_flush();
	files_drop(subject->work->fds, subject->work->count);
}

/* ---------------------------------------------------------------- counting -- */

static bool is(const char *name, const char *what, uint64_t value, uint64_t expected)
{
	if (value == expected)
		return true;
	fprintf(stderr, "bench: %s: %" PRIu64 " %s where %" PRIu64 " were expected\n", name, value,
		what, expected);
	return false;
}

static bool went_its_way(const struct subject *subject, const struct tally *tally,
			 const struct buildid_stats *before)
{
	const uint64_t mappings = subject->work->count;
	struct buildid_stats now;

#define GREW(field, each) is(subject->name, #field, now.field - before->field, (each)*mappings)
	if (!is(subject->name, "records", tally->records, subject->records * mappings) ||
	    !is(subject->name, "records lost", tally->lost, 0))
		return false;
	if (!subject->module)
		return true;
	now = device_stats();
	return GREW(hits, subject->hits) && GREW(misses, subject->reads) &&
	       GREW(read_mapper, subject->reads) && GREW(rechecks, 0) && GREW(unresolved, 0) &&
	       GREW(missed_probe, 0);
#undef GREW
}

static void prepare(const struct subject *subject)
{
	if (subject->before)
		subject->before(subject);
	settle();
}

struct batch {
	const struct subject *subject;
	const uint64_t *taken;	/* for each mapping */
	uint64_t machine_taken; /* for all of them */
	struct tally tally;
};

static void run_batch(void *arg)
{
	struct batch *batch = arg;

	batch->taken = mapper_run();
}

static void drain_batch(void *arg)
{
	struct batch *batch = arg;

	if (batch->subject->drain)
		batch->tally = batch->subject->drain();
}

static void count_batch(struct batch *batch)
{
	if (batch->subject->machine) {
		batch->machine_taken = window(run_batch, drain_batch, batch);
		return;
	}
	run_batch(batch);
	settle();
	drain_batch(batch);
}

/*
 * A batch counts as its cheapest mapping: in the others the kernel's allocator
 * made room for many to come, which is for luck to say.
 */
static void keep_batch(const struct batch *batch)
{
	const struct subject *subject = batch->subject;
	unsigned int i, mappings = subject->work->count;
	uint64_t least = UINT64_MAX;

	if (subject->machine) {
		series_add(subject->name, mappings, batch->machine_taken);
		return;
	}
	for (i = 0; i < mappings; i++)
		if (batch->taken[i] < least)
			least = batch->taken[i];
	series_add(subject->name, 1, least);
}

/* A batch that some other process had a part in is done again. */
static void count(const struct subject *subject)
{
	int i = -WARM_UPS, n = subject->machine ? WINDOWS : BATCHES, discarded = 0;
	struct buildid_stats before = { 0 };
	pid_t mapper;

	mapper = mapper_start(subject->work);
	if (subject->begin)
		subject->begin(mapper);
	while (i < n) {
		struct batch batch = { .subject = subject };

		prepare(subject);
		if (subject->module)
			before = device_stats();
		count_batch(&batch);
		if (i >= 0 && !went_its_way(subject, &batch.tally, &before)) {
			if (++discarded == DISCARDED_MAX)
				die("%s: never went its way", subject->name);
			continue;
		}
		if (i++ >= 0)
			keep_batch(&batch);
	}
	if (subject->end)
		subject->end();
	mapper_stop();
}

static void count_reader(const char *name, struct tally (*drain)(void))
{
	struct tally tally;
	uint64_t start, taken;
	int i, j;

	mapper_start(&one_long);
	for (i = -WARM_UPS; i < DRAINS; i++) {
		for (j = 0; j < 4; j++)
			mapper_run();
		settle();
		start = counter();
		tally = drain();
		taken = counter() - start;
		if (tally.records < 4 * one_long.count || tally.lost)
			die("%s: records are missing", name);
		if (i >= 0)
			series_add(name, tally.records, taken);
	}
	mapper_stop();
}

/* Starts the program spawn with these arguments, and returns what it prints. */
static FILE *start_spawns(const char *dir, const char **args, pid_t *pid)
{
	char program[256];
	int ends[2];

	snprintf(program, sizeof(program), "%s/spawn", dir);
	args[0] = program;
	if (pipe(ends))
		die("pipe");
	*pid = fork();
	if (*pid < 0)
		die("fork");
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv(program, (char **)args);
		die("%s", program);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

static void end_spawns(FILE *output, pid_t pid)
{
	int status;

	if (fclose(output) || waitpid(pid, &status, 0) != pid || status)
		die("spawn failed");
}

static void count_spawns(const char *name, const char *dir)
{
	char number[16], root[256], line[32];
	const char *args[] = { NULL, root, number, "/bin/true", NULL };
	int n = -WARM_UPS;
	FILE *output;
	pid_t pid;

	snprintf(root, sizeof(root), "%s/disk/root", dir);
	snprintf(number, sizeof(number), "%d", SPAWNS + WARM_UPS);
	output = start_spawns(dir, args, &pid);
	while (output && fgets(line, sizeof(line), output))
		if (n++ >= 0)
			series_add(name, 1, strtoull(line, NULL, 10));
	end_spawns(output, pid);
	if (n != SPAWNS)
		die("spawn failed");
}

/* ------------------------------------------------------------------ rounds -- */

static void without_module(const char *dir)
{
	static const struct subject empty_one = { .name = "one: empty", .work = &one };
	static const struct subject empty_data = { .name = "data: empty", .work = &data };
	static const struct subject empty_many = { .name = "many: empty", .work = &many };
	static const struct subject machine_one = {
		.name = "machine, one: empty",
		.work = &one_long,
		.machine = true,
	};

	count(&empty_one);
	count(&empty_data);
	count(&empty_many);
	count(&machine_one);
	count_spawns("spawn: empty", dir);
}

static void with_bare_probes(const char *dir)
{
	static const struct subject kprobe = { .name = "one: kprobe", .work = &one };
	static const struct subject ftrace = { .name = "one: ftrace", .work = &one };

	module_load(dir, "kprobe_only", "");
	count(&kprobe);
	module_unload("kprobe_only");
	module_load(dir, "ftrace_only", "");
	count(&ftrace);
	module_unload("ftrace_only");
}

static void with_perf(void)
{
	static const struct subject plain = {
		.name = "one: perf",
		.work = &one,
		.drain = perf_drain,
		.records = 1,
	};
	static const struct subject build_id = {
		.name = "one: perf build-id",
		.work = &one,
		.drain = perf_drain,
		.records = 1,
	};

	perf_start(false);
	count(&plain);
	count_reader("reader: perf", perf_drain);
	perf_stop();
	perf_start(true);
	count(&build_id);
	perf_stop();
}

static void with_agent(const char *dir)
{
	static const struct subject agent = {
		.name = "one: bpf",
		.work = &one,
		.drain = agent_drain,
		.records = 1,
	};

	if (!agent_start(dir)) {
		missing_print(agent.name);
		return;
	}
	count(&agent);
	agent_stop();
}

static void with_subscriber(const char *dir)
{
	static const struct subject cached = {
		.name = "one: cached",
		.work = &one,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	static const struct subject path = {
		.name = "one: path",
		.work = &one,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 2,
	};
	static const struct subject filtered = {
		.name = "data: filtered",
		.work = &data,
		.drain = subscription_drain,
		.module = true,
	};

	subscribe(0, READER_MMAP);
	count(&cached);
	count(&filtered);
	count_reader("reader: ring", subscription_drain);
	unsubscribe();
	subscribe(BUILDID_SUB_PATH, READER_MMAP);
	count(&path);
	unsubscribe();
	subscribe(0, READER_READ);
	count_reader("reader: read", subscription_drain);
	count_spawns("spawn: subscriber", dir);
	unsubscribe();
}

/* The mapper reads such a file before mmap(2) returns, and sends its FILE record. */
static void with_new_files(void)
{
	static const struct subject first = {
		.name = "many: first sight",
		.work = &many,
		.before = forget_files,
		.drain = subscription_drain,
		.module = true,
		.reads = 1,
		.records = 2,
	};
	static const struct subject cold = {
		.name = "many: not resident",
		.work = &many,
		.before = forget_files_and_pages,
		.drain = subscription_drain,
		.module = true,
		.reads = 1,
		.records = 2,
	};

	subscribe(0, READER_MMAP);
	count(&first);
	count(&cold);
	unsubscribe();
}

static void with_listener(void)
{
	static const struct subject netlink = {
		.name = "one: netlink",
		.work = &one,
		.drain = netlink_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};
	static const struct subject machine_netlink = {
		.name = "machine, one: netlink",
		.work = &one_long,
		.machine = true,
		.drain = netlink_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};

	listen_to_netlink();
	count(&netlink);
	count(&machine_netlink);
	stop_listening();
}

static void with_data(void)
{
	static const struct subject all_data = {
		.name = "data: all",
		.work = &data,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};

	subscribe(BUILDID_SUB_DATA, READER_MMAP);
	count(&all_data);
	unsubscribe();
}

static void with_watchers(void)
{
	static const struct subject subjects[] = {
		{
			.name = "one: eight",
			.work = &one,
			.begin = watch_all,
			.end = watchers_stop,
			.drain = watchers_drain,
			.module = true,
			.hits = 1,
			.records = WATCHERS,
		},
		{
			.name = "one: eight, filters",
			.work = &one,
			.begin = watch_mapper,
			.end = watchers_stop,
			.drain = watchers_drain,
			.module = true,
			.hits = 1,
			.records = WATCHERS,
		},
		{
			.name = "one: eight of others",
			.work = &one,
			.begin = watch_others,
			.end = watchers_stop,
			.drain = watchers_drain,
			.module = true,
			.hits = 1,
		},
	};
	unsigned int i;

	for (i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		count(&subjects[i]);
}

static void with_module(const char *dir)
{
	static const struct subject nobody = {
		.name = "one: nobody",
		.work = &one,
		.module = true,
		.hits = 1,
	};

	module_load(dir, "buildid", "");
	device_open();
	count(&nobody);
	count_spawns("spawn: nobody", dir);
	with_subscriber(dir);
	with_new_files();
	with_data();
	with_watchers();
	with_listener();
	device_close();
	module_unload("buildid");
}

/* ------------------------------------------------------------------- btrfs -- */

/* Of a subvolume, and of its snapshots, which have the same inode number. */
static void with_btrfs(const char *dir)
{
	static int subvolume[MEASURED], snapshots[SNAPSHOTS + 1];
	static const struct workload works[] = {
		{ subvolume, MEASURED, EXEC },
		{ snapshots, SNAPSHOTS + 1, EXEC },
	};
	static const struct subject empty[] = {
		{ .name = "btrfs: empty", .work = &works[0] },
		{ .name = "snapshots: empty", .work = &works[1] },
	};
	static const struct subject cached[] = {
		{ .name = "btrfs: cached",
		  .work = &works[0],
		  .drain = subscription_drain,
		  .module = true,
		  .hits = 1,
		  .records = 1 },
		{ .name = "snapshots: cached",
		  .work = &works[1],
		  .drain = subscription_drain,
		  .module = true,
		  .hits = 1,
		  .records = 1 },
	};
	char path[256];
	int i;

	snprintf(path, sizeof(path), "%s/btrfs", dir);
	if (access(path, F_OK)) {
		for (i = 0; i < 2; i++) {
			missing_print(empty[i].name);
			missing_print(cached[i].name);
		}
		return;
	}
	files_open(path, snapshots, SNAPSHOTS + 1);
	for (i = 0; i < MEASURED; i++)
		subvolume[i] = snapshots[0];
	for (i = 0; i < 2; i++)
		count(&empty[i]);
	module_load(dir, "buildid", "");
	device_open();
	subscribe(0, READER_MMAP);
	for (i = 0; i < 2; i++)
		count(&cached[i]);
	unsubscribe();
	device_close();
	module_unload("buildid");
}

/* ------------------------------------------------------------- cold starts -- */

/**
 * struct start - a program that is started from a disk, of which no page is in memory
 * @root: directory below that of all, where the program is
 * @empty: the series without the module
 * @cost: with it, and a subscriber
 * @empty_reads: reads from the disk without the module
 * @reads: reads from the disk with it
 * @files: the number of files that the module had to read
 */
struct start {
	const char *root;
	const char *empty;
	const char *cost;
	const char *empty_reads;
	const char *reads;
	const char *files;
};

static const struct start starts[] = {
	{ "python", "start: empty", "start: ids", "start: reads, empty", "start: reads, ids",
	  "start: files with ids" },
	{ "python-without-ids", "start: empty, no ids", "start: no ids",
	  "start: reads, empty, no ids", "start: reads, no ids", "start: files without ids" },
};

#define STARTS	   (sizeof(starts) / sizeof(*starts))
#define COLD_TURNS 5

static void start_cold(const char *dir, const struct start *start, const char *cost,
		       const char *reads, bool keep)
{
	char root[256];
	const char *args[] = { NULL, "-c",   "loop0", root, "1", "/usr/bin/python3.11",
			       "-c", "pass", NULL };
	unsigned long long taken, read;
	FILE *output;
	pid_t pid;

	snprintf(root, sizeof(root), "%s/disk/%s", dir, start->root);
	output = start_spawns(dir, args, &pid);
	if (!output || fscanf(output, "%llu %llu", &taken, &read) != 2)
		die("no start from a disk");
	end_spawns(output, pid);
	if (!keep)
		return;
	series_add(cost, 1, taken);
	series_add(reads, 1, read);
}

/* Of the program that starts others, which is a file, too. */
static void start_nothing(const char *dir)
{
	const char *args[] = { NULL, "/", "0", "/", NULL };
	FILE *output;
	pid_t pid;

	output = start_spawns(dir, args, &pid);
	end_spawns(output, pid);
}

static void with_cold_starts(const char *dir)
{
	uint64_t before;
	unsigned int i;
	int turn;

	for (turn = -WARM_UPS; turn < COLD_TURNS; turn++) {
		for (i = 0; i < STARTS; i++)
			start_cold(dir, &starts[i], starts[i].empty, starts[i].empty_reads,
				   turn >= 0);
		module_load(dir, "buildid", "");
		device_open();
		subscribe(0, READER_MMAP);
		for (i = 0; i < STARTS; i++) {
			device_flush();
			start_nothing(dir);
			before = device_stats().read_mapper;
			start_cold(dir, &starts[i], starts[i].cost, starts[i].reads, turn >= 0);
			subscription_drain();
			if (turn == COLD_TURNS - 1)
				number_print(starts[i].files, device_stats().read_mapper - before);
		}
		unsubscribe();
		device_close();
		module_unload("buildid");
	}
}

/* ------------------------------------------------------------------- scale -- */

static void fill(uint64_t entries)
{
	uint64_t n, there;
	int fd;

	for (n = device_stats().entries; n < entries; n++) {
		fd = throwaway_file();
		map_once(fd);
		close(fd);
	}
	/* half full, one set in a thousand has more files than slots */
	there = device_stats().entries;
	if (there < entries - entries / 1000)
		die("%" PRIu64 " files of %" PRIu64 " are remembered", there, entries);
}

/* Of files[], the oldest in the cache, and the last in their buckets. */
static void count_at(uint64_t entries, const char *name)
{
	const struct subject cached = {
		.name = name,
		.work = &all,
		.drain = subscription_drain,
		.module = true,
		.hits = 1,
		.records = 1,
	};

	fill(entries);
	count(&cached);
}

/* Bytes of slabs that the kernel cannot give back at will. */
static double slab_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	double kib = 0;

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		sscanf(line, "SUnreclaim: %lf", &kib);
	fclose(file);
	return kib * 1024;
}

static void with_many_entries(const char *dir)
{
	static const struct subject empty = { .name = "all: empty", .work = &all };
	struct buildid_stats few, lots;
	double counted, slab, table;

	count(&empty);
	module_load(dir, "buildid", "max_entries=" TABLE);
	device_open();
	table = device_stats().memory;
	subscribe(0, READER_MMAP);
	mapper_start(&all);
	mapper_run();
	mapper_stop();

	count_at(1000, "all: 1000");
	few = device_stats();
	slab = slab_memory();
	count_at(100000, "all: 100000");
	count_at(1000000, "all: 1000000");
	lots = device_stats();
	slab = slab_memory() - slab;

	counted = (double)(lots.memory - few.memory) / (lots.entries - few.entries);
	slab /= lots.entries - few.entries;
	table /= lots.entries;
	number_print("memory: entry", counted - THROWAWAY_PATH);
	number_print("memory: table", counted + table - THROWAWAY_PATH);
	number_print("memory: slab", slab + table - THROWAWAY_PATH);
	unsubscribe();
	device_close();
	module_unload("buildid");
}

/* Each file is new to it once. */
static void with_ima(void)
{
	static const struct subject again = { .name = "one: ima", .work = &one };
	int i;

	ima_start();
	count(&again);
	for (i = MEASURED; i + MEASURED <= FILES; i += MEASURED) {
		const struct workload new = { &files[i], MEASURED, EXEC };
		struct subject first = { .name = "many: ima first sight", .work = &new };
		struct batch batch = { .subject = &first };

		mapper_start(&new);
		settle();
		count_batch(&batch);
		keep_batch(&batch);
		mapper_stop();
	}
}

/* A batch counts as its cheapest call, as one of mappings does. */
static void count_calls(const char *name, void (*call)(void))
{
	int i, j;

	for (i = -WARM_UPS; i < BATCHES; i++) {
		uint64_t least = UINT64_MAX;

		settle();
		for (j = 0; j < CALLS; j++) {
			const uint64_t start = counter();
			uint64_t taken;

			call();
			taken = counter() - start;
			if (taken < least)
				least = taken;
		}
		if (i >= 0)
			series_add(name, 1, least);
	}
}

static void with_queries(void)
{
	if (!query_start(files[0])) {
		missing_print("query: mapping");
		missing_print("query: build-id");
		return;
	}
	count_calls("query: mapping", query_mapping);
	count_calls("query: build-id", query_build_id);
	query_stop();
}

static void with_stacks(const char *dir)
{
	char disk[256];

	snprintf(disk, sizeof(disk), "%s/disk", dir);
	stack_start(disk, SAMPLE_NOTHING);
	count_calls("stack: empty", stack_in_one);
	stack_stop();
	stack_start(disk, SAMPLE_ADDRESSES);
	count_calls("stack: addresses", stack_in_one);
	stack_stop();
	stack_start(disk, SAMPLE_BUILD_IDS);
	count_calls("stack: build-ids, one DSO", stack_in_one);
	count_calls("stack: build-ids, two DSOs", stack_in_two);
	stack_stop();
}

/* Where things are in memory must be the same in every run. */
static void fix_addresses(char **argv)
{
	if (personality(~0U) & ADDR_NO_RANDOMIZE)
		return;
	personality(ADDR_NO_RANDOMIZE);
	execv("/proc/self/exe", argv);
	die("exec");
}

static void with_mappings(const char *dir)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		without_module(dir);
		with_bare_probes(dir);
		with_perf();
		with_agent(dir);
		with_module(dir);
		fprintf(stderr, "bench: round %d of %d\n", i + 1, ROUNDS);
	}
}

/* Last, as what they map would be in the mapper's address space, too. */
static void with_others(const char *dir)
{
	with_ima();
	with_queries();
	with_stacks(dir);
}

static const struct part {
	const char *name;
	void (*run)(const char *dir);
} parts[] = {
	{ "mmap", with_mappings },     { "btrfs", with_btrfs },	       { "hook", count_hook },
	{ "start", with_cold_starts }, { "scale", with_many_entries }, { "others", with_others },
};

#define PARTS (sizeof(parts) / sizeof(*parts))

static bool is_wanted(const struct part *part, char *const *names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, part->name))
			return true;
	return false;
}

static bool all_known(char *const *names)
{
	unsigned int i;

	for (; *names; names++) {
		for (i = 0; i < PARTS && strcmp(*names, parts[i].name); i++)
			;
		if (i == PARTS)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	char path[256];
	unsigned int i;

	if (argc < 2 || !all_known(argv + 2)) {
		fputs("usage: bench DIR [PART...]\n", stderr);
		return 2;
	}
	fix_addresses(argv);
	snprintf(path, sizeof(path), "%s/disk/files", argv[1]);
	files_open(path, files, FILES);
	for (i = 0; i < FILES; i++)
		same[i] = files[0];
	measure_init();
	for (i = 0; i < PARTS; i++)
		if (is_wanted(&parts[i], argv + 2))
			parts[i].run(argv[1]);
	series_print();
	return 0;
}
