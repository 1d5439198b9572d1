// SPDX-License-Identifier: GPL-2.0
/* Certificate: an element of DER is a tag, a size and a value, which may be elements. */

#include <string.h>

#include "certificate.h"
#include "common/hex.h"

#define INTEGER	     0x02
#define OCTET_STRING 0x04
#define SEQUENCE     0x30
#define VERSION	     0xa0

struct element {
	const uint8_t *value;
	size_t size;
};

static bool element_at(const uint8_t *at, const uint8_t *end, uint8_t tag, struct element *element)
{
	size_t bytes;

	if (!at || end - at < 2 || *at++ != tag)
		return false;
	element->size = *at++;
	if (element->size & 0x80) {
		bytes = element->size & 0x7f;
		if (bytes > 2 || end - at < (ptrdiff_t)bytes)
			return false;
		for (element->size = 0; bytes; bytes--)
			element->size = element->size << 8 | *at++;
	}
	element->value = at;
	return (size_t)(end - at) >= element->size;
}

static bool format(char text[CERTIFICATE_HEX], const struct element *element)
{
	if (!element->size || element->size > CERTIFICATE_HEX / 2)
		return false;
	hex_format(text, element->value, element->size);
	return true;
}

static bool find_serial(const uint8_t *data, const uint8_t *end, struct element *serial)
{
	struct element outer, inner, version;
	const uint8_t *at;

	if (!element_at(data, end, SEQUENCE, &outer) ||
	    !element_at(outer.value, end, SEQUENCE, &inner))
		return false;
	at = inner.value;
	if (element_at(at, end, VERSION, &version))
		at = version.value + version.size;
	return element_at(at, end, INTEGER, serial);
}

/* The extension subjectKeyIdentifier, 2.5.29.14, which is not critical. */
static bool find_key_id(const uint8_t *data, const uint8_t *end, struct element *id)
{
	static const uint8_t name[] = { 0x06, 0x03, 0x55, 0x1d, 0x0e };
	const uint8_t *at = memmem(data, (size_t)(end - data), name, sizeof(name));
	struct element outer;

	return at && element_at(at + sizeof(name), end, OCTET_STRING, &outer) &&
	       element_at(outer.value, end, OCTET_STRING, id);
}

bool certificate_parse(const uint8_t *data, size_t size, struct certificate *certificate)
{
	const uint8_t *end = data + size;
	struct element serial, id;

	if (!find_serial(data, end, &serial))
		return false;
	/* The kernel takes the serial number, with its zeros, where there is no other id. */
	if (!find_key_id(data, end, &id))
		id = serial;
	while (serial.size && !*serial.value)
		serial.value++, serial.size--;
	return format(certificate->serial, &serial) && format(certificate->key_id, &id);
}
