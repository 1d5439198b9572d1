# SPDX-License-Identifier: GPL-2.0
#
# TARGET=arm64 builds for that architecture, in build/arm64. Included by tool/Makefile and
# tests/Makefile, which define top.

built	:= $(top)/build$(TARGET:%=/%)

ifeq ($(TARGET),)
CC32	?= $(CC) -m32
else
target	:= $(shell $(top)/scripts/root $(TARGET))
ifeq ($(target),)
$(error buildid: TARGET=$(TARGET): no compiler and no libraries)
endif
cross	:= $(target)/cross/usr/bin
CC	:= $(cross)/aarch64-linux-gnu-gcc-12 --sysroot=$(target)/root
AR	:= $(cross)/aarch64-linux-gnu-ar
CC32	:= $(cross)/arm-linux-gnueabihf-gcc-12 --sysroot=$(target)/cross
export PKG_CONFIG_SYSROOT_DIR := $(target)/root
export PKG_CONFIG_LIBDIR := $(target)/root/usr/lib/aarch64-linux-gnu/pkgconfig
endif
