// SPDX-License-Identifier: MIT
/* As the instructions are in a transaction: vector storage accesses. */
#define SEM_TRANSACTIONAL
#define SEM_GATE_MSR	  MSR_VEC
#define SEM_GATE_FACILITY FACILITY_VEC
#include "engine/interp.h"
#include "isa/vector.h"

#include "isa/sem/vmx_memory.inc"
