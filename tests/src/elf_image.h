/* SPDX-License-Identifier: GPL-2.0 */
/* The least of an ELF file: what the tests and the benchmark fill files with. */
#ifndef TESTS_ELF_IMAGE_H
#define TESTS_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Followed at once by @segments program headers. */
static inline Elf64_Ehdr elf_header(unsigned int segments)
{
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)segments,
	};
}

/* Writes a file that has a build-id of 16 bytes: @number, and zeros. */
static inline bool elf_write_with_id(int fd, uint64_t number)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Nhdr note;
		char name[4];
		uint64_t id[2];
	} __attribute__((packed)) image = {
		.header = elf_header(1),
		.segment = {
			.p_type = PT_NOTE,
			.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			.p_filesz = sizeof(Elf64_Nhdr) + 4 + 16,
			.p_memsz = sizeof(Elf64_Nhdr) + 4 + 16,
			.p_align = 4,
		},
		.note = { 4, 16, NT_GNU_BUILD_ID },
		.name = "GNU",
		.id = { number },
	};

	return write(fd, &image, sizeof(image)) == sizeof(image);
}

#endif
