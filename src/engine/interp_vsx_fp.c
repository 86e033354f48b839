// SPDX-License-Identifier: MIT
#define SEM_GATE_MSR	  MSR_VSX
#define SEM_GATE_FACILITY FACILITY_VSX
#include "engine/interp.h"
#include "isa/sem/vsx_fp.inc"
#include "isa/sem/vsx_fp_vector.inc"
