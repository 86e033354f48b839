// SPDX-License-Identifier: MIT
#define SEM_GATE_MSR	  MSR_FP
#define SEM_GATE_FACILITY FACILITY_FP
#include "engine/interp.h"
#include "isa/sem/fp_storage.inc"
