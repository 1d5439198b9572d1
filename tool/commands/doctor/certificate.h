/* SPDX-License-Identifier: GPL-2.0 */
/* Certificate: as much of X.509 as says whose a signature is, and which key that is. */
#ifndef TOOL_CERTIFICATE_H
#define TOOL_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CERTIFICATE_HEX 129

/* In lower-case hex digits. */
struct certificate {
	char serial[CERTIFICATE_HEX];	  /* without zeros in front */
	char key_id[CERTIFICATE_HEX + 2]; /* by which /proc/keys has the key */
};

/* Of a file in DER. False also where libcrypto is not installed. */
bool certificate_parse(const uint8_t *data, size_t size, struct certificate *certificate);

#endif
