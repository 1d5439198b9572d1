/* SPDX-License-Identifier: GPL-2.0 */
/* Certificate: the part of X.509 that identifies a signature's key. */
#ifndef TOOL_CERTIFICATE_H
#define TOOL_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CERTIFICATE_HEX 129

/* In lower-case hex digits. */
struct certificate {
	char serial[CERTIFICATE_HEX];	  /* without leading zeros */
	char key_id[CERTIFICATE_HEX + 2]; /* by which /proc/keys has the key */
};

/* Parse a certificate in DER. Also false if libcrypto is not installed. */
bool certificate_parse(const uint8_t *data, size_t size, struct certificate *certificate);

#endif
