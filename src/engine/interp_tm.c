// SPDX-License-Identifier: MIT
/* Handlers of the instructions of the transactional memory facility, in any state. */
#define SEM_GATE_MSR	  MSR_TM
#define SEM_GATE_FACILITY FACILITY_TM
#include "engine/interp.h"
#include "isa/fixed.h"
#include "isa/fp.h"

#include "isa/sem/tm.inc"
