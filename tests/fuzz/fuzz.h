/* SPDX-License-Identifier: MIT */
/*
 * A fuzzing target: called with arbitrary bytes, returns 0, and must neither crash nor hang. Each
 * fuzz_NAME.c is linked with standalone.c for a bounded run in the tests, and with -Dfuzzers=true
 * also with libFuzzer.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "base/types.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif
