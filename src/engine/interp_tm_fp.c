// SPDX-License-Identifier: MIT
/* As the instructions are in a transaction: floating-point storage accesses. */
#define SEM_TRANSACTIONAL
#define SEM_GATE_MSR	  MSR_FP
#define SEM_GATE_FACILITY FACILITY_FP
#include "engine/interp.h"
#include "isa/fp.h"

#include "isa/sem/fp_storage.inc"
