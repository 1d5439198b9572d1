// SPDX-License-Identifier: GPL-2.0
/*
 * The build-ids of the kernel and its modules are in notes in memory, which sysfs shows as
 * kernel/notes and module/NAME/notes. That is a stable interface, while the structures behind it
 * change between releases; and it works whatever file the image came from. It is read through a
 * private mount, as the process that loads this module may have anything at /sys.
 *
 * images_lock, a mutex, protects the list of modules. It is held while records are sent, so that
 * a new subscriber's snapshot agrees with the MODULE records after it. subscribers_lock (event.c)
 * nests inside it. The module notifier takes it in the context of the task that loads or unloads a
 * module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "compat.h"
#include "event.h"
#include "kernel_image.h"

#define NOTES_MAX 4096

/**
 * struct image - the kernel or a module
 * @node: in the list of modules
 * @type: BUILDID_RECORD_KERNEL or _MODULE
 * @addr: of its code
 * @len: of its code
 * @id: its identity
 * @name: release of the kernel, or name of the module
 */
struct image {
	struct list_head node;
	u16 type;
	u64 addr;
	u64 len;
	struct bid_identity id;
	char name[__NEW_UTS_LEN + 1]; /* the longest of both */
};

static struct image kernel = { .type = BUILDID_RECORD_KERNEL };
static LIST_HEAD(modules);
static DEFINE_MUTEX(images_lock);
static struct vfsmount *sysfs;

/* Notes read into memory. */
struct blob {
	struct bid_reader reader;
	const u8 *bytes;
};

static int blob_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct blob *blob = container_of(reader, struct blob, reader);

	memcpy(buf, blob->bytes + off, len);
	return 0;
}

static ssize_t read_sysfs(const char *path, void *buf, size_t len)
{
	struct file *file = file_open_root_mnt(sysfs, path, O_RDONLY, 0);
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file);
	n = kernel_read(file, buf, len, &pos);
	fput(file);
	return n;
}

static void read_notes(const char *path, struct bid_identity *id)
{
	struct blob blob = { .reader.read = blob_read };
	u8 *buf = kmalloc(NOTES_MAX, GFP_KERNEL);
	ssize_t n = -ENOMEM;

	if (buf)
		n = read_sysfs(path, buf, NOTES_MAX);
	if (n < 0) {
		*id = (struct bid_identity){
			.reason = n == -ENOENT ? BUILDID_REASON_NO_NOTE : BUILDID_REASON_IO,
		};
	} else {
		blob.reader.size = n;
		blob.bytes = buf;
		bid_elf_identify_notes(&blob.reader, id);
	}
	kfree(buf);
}

static void kernel_image_send(struct bid_subscriber *subscriber, const struct image *image,
			      u16 record_flags, u32 flags)
{
	struct bid_image_info info = {
		.type = image->type,
		.record_flags = record_flags,
		.flags = flags,
		.addr = image->addr,
		.len = image->len,
		.id = &image->id,
		.name = image->name,
	};

	lockdep_assert_held(&images_lock);
	bid_event_image(subscriber, &info);
}

#ifdef CONFIG_MODULES
static void read_module(const struct module *module, struct image *image)
{
	char *path = kasprintf(GFP_KERNEL, "module/%s/notes/.note.gnu.build-id", module->name);

	BUILD_BUG_ON(sizeof(image->name) < MODULE_NAME_LEN);
	image->type = BUILDID_RECORD_MODULE;
	image->addr = (unsigned long)BID_MODULE_TEXT(module);
	image->len = BID_MODULE_TEXT_SIZE(module);
	strscpy(image->name, module->name, sizeof(image->name));
	if (path)
		read_notes(path, &image->id);
	else
		image->id.reason = BUILDID_REASON_IO;
	kfree(path);
}

static struct image *find_module_image(const char *name)
{
	struct image *image;

	list_for_each_entry(image, &modules, node)
		if (!strcmp(image->name, name))
			return image;
	return NULL;
}

/* NULL if it is in the list already: the notifier and the walk may both find a module. */
static struct image *add_module(const struct module *module)
{
	struct image *image;

	lockdep_assert_held(&images_lock);
	if (find_module_image(module->name))
		return NULL;
	/* a module missing from the list would silently be in no record */
	image = kzalloc(sizeof(*image), GFP_KERNEL | __GFP_NOFAIL);
	read_module(module, image);
	list_add_tail(&image->node, &modules);
	return image;
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;
	struct image *image;

	mutex_lock(&images_lock);
	if (state == MODULE_STATE_LIVE) {
		image = add_module(module);
		if (image)
			kernel_image_send(NULL, image, 0, 0);
	} else if (state == MODULE_STATE_GOING) {
		image = find_module_image(module->name);
		if (image) {
			kernel_image_send(NULL, image, 0, BUILDID_IMAGE_UNLOAD);
			list_del(&image->node);
			kfree(image);
		}
	}
	mutex_unlock(&images_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = on_module };

/* The next live module, with a reference that keeps it until it is in the list. */
static struct module *next_module(struct kset *kset, struct list_head **pos)
{
	struct module *module = NULL;

	spin_lock(&kset->list_lock);
	for (*pos = (*pos)->next; *pos != &kset->list; *pos = (*pos)->next) {
		struct kobject *kobj = container_of(*pos, struct kobject, entry);

		module = container_of(kobj, struct module_kobject, kobj)->mod;
		/* if it goes live later, the notifier is called */
		if (module && module->state == MODULE_STATE_LIVE && try_module_get(module))
			break;
		module = NULL;
	}
	spin_unlock(&kset->list_lock);
	return module;
}

/* Built in, this is no module, but module_kset can be seen, which is not exported. */
static struct kset *kset_of_modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

static void add_present_modules(void)
{
	struct kset *kset = kset_of_modules();
	struct list_head *pos = &kset->list;
	struct module *module, *last = NULL;

	while ((module = next_module(kset, &pos))) {
		mutex_lock(&images_lock);
		add_module(module);
		mutex_unlock(&images_lock);
		/* the walk continues from this one: drop it only now that the next one is found */
		module_put(last);
		last = module;
	}
	module_put(last);
}

#else
static struct notifier_block notifier;

static void add_present_modules(void)
{
}
#endif /* CONFIG_MODULES */

/*
 * The address of a symbol. Modules have no function for that, but a kprobe gets its address when it
 * is registered, even if disabled or refused.
 */
static u64 symbol_address(const char *name)
{
	struct kprobe kp = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

/*
 * Symbols are looked up from _stext on. On arm64 the head comes before it, discarded after boot,
 * for which the linker script reserves one SEGMENT_ALIGN.
 */
static u64 text_address(void)
{
#ifdef CONFIG_ARM64
	u64 addr = symbol_address("_stext");

	return addr ? round_down(addr, SEGMENT_ALIGN) - SEGMENT_ALIGN : 0;
#else
	return symbol_address("_text");
#endif
}

static void read_kernel(void)
{
	u64 end;

	read_notes("kernel/notes", &kernel.id);
	strscpy(kernel.name, init_utsname()->release, sizeof(kernel.name));
	kernel.addr = text_address();
	end = symbol_address("_etext");
	kernel.len = kernel.addr && end > kernel.addr ? end - kernel.addr : 0;
}

/**
 * bid_kernel_image_subscribe() - start delivering records to a subscriber
 * @subscriber: as for bid_event_add()
 *
 * Calls bid_event_add(), and then sends the snapshot of the kernel and its modules if the
 * subscriber asked for it. Process context; takes images_lock.
 *
 * Return: as bid_event_add().
 */
int bid_kernel_image_subscribe(struct bid_subscriber *subscriber)
{
	struct image *image;
	int err;

	mutex_lock(&images_lock);
	err = bid_event_add(subscriber);
	if (!err && subscriber->flags & BUILDID_SUB_KERNEL) {
		kernel_image_send(subscriber, &kernel, BUILDID_RECORD_SNAPSHOT, 0);
		list_for_each_entry(image, &modules, node)
			kernel_image_send(subscriber, image, BUILDID_RECORD_SNAPSHOT, 0);
	}
	mutex_unlock(&images_lock);
	return err;
}

static void free_modules(void)
{
	struct image *image, *next;

	list_for_each_entry_safe(image, next, &modules, node) {
		list_del(&image->node);
		kfree(image);
	}
}

/* Return: 0 or -errno. May sleep. */
int bid_kernel_image_init(void)
{
	struct file_system_type *type = get_fs_type("sysfs");
	int err;

	if (!type)
		return -ENODEV;
	sysfs = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(sysfs)) {
		pr_err("cannot mount sysfs: %ld\n", PTR_ERR(sysfs));
		return PTR_ERR(sysfs);
	}
	read_kernel();
	err = register_module_notifier(&notifier);
	if (err) {
		kern_unmount(sysfs);
		return err;
	}
	add_present_modules();
	return 0;
}

void bid_kernel_image_exit(void)
{
	unregister_module_notifier(&notifier);
	free_modules();
	kern_unmount(sysfs);
}
