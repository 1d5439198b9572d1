// SPDX-License-Identifier: GPL-2.0
/* Certificate: by libcrypto. */

#include <openssl/x509v3.h>
#include <stddef.h>
#include <stdio.h>

#include "certificate.h"
#include "common/array.h"
#include "common/hex.h"
#include "common/shared_library.h"

#define FUNCTIONS(F)                \
	F(d2i_X509)                 \
	F(X509_free)                \
	F(X509_get0_serialNumber)   \
	F(X509_get0_subject_key_id) \
	F(ASN1_STRING_get0_data)    \
	F(ASN1_STRING_length)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

static bool certificate_load(void)
{
#define FUNCTION(name) { #name, offsetof(struct library, name) },
	static const struct shared_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION

	if (!library.loaded)
		library.loaded = !shared_library_open("libcrypto.so.3", functions,
						      ARRAY_SIZE(functions), &library);
	return library.loaded;
}

static bool format(char *text, const ASN1_STRING *string)
{
	int size = library.ASN1_STRING_length(string);

	if (size <= 0 || size > CERTIFICATE_HEX / 2)
		return false;
	hex_format(text, library.ASN1_STRING_get0_data(string), (size_t)size);
	return true;
}

/*
 * The key is named by the subject's key id, or by the serial number where there is none: with
 * the zero that DER has in front of what would be negative.
 */
static bool certificate_take(X509 *x509, struct certificate *certificate)
{
	const ASN1_INTEGER *serial = library.X509_get0_serialNumber(x509);
	const ASN1_OCTET_STRING *id = library.X509_get0_subject_key_id(x509);

	if (!format(certificate->serial, serial))
		return false;
	if (id)
		return format(certificate->key_id, id);
	snprintf(certificate->key_id, sizeof(certificate->key_id), "%s%s",
		 certificate->serial[0] >= '8' ? "00" : "", certificate->serial);
	return true;
}

bool certificate_parse(const uint8_t *data, size_t size, struct certificate *certificate)
{
	X509 *x509 = certificate_load() ? library.d2i_X509(NULL, &data, (long)size) : NULL;
	bool is = x509 && certificate_take(x509, certificate);

	if (x509)
		library.X509_free(x509);
	return is;
}
