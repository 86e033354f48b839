// SPDX-License-Identifier: MIT
/* As the instructions are in a transaction: vector-scalar storage accesses and moves. */
#define SEM_TRANSACTIONAL
#define SEM_GATE_MSR	  MSR_VSX
#define SEM_GATE_FACILITY FACILITY_VSX
#include "engine/interp.h"
#include "isa/fp.h"
#include "isa/vector.h"

#include "isa/sem/vsx_move.inc"
