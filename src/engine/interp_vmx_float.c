// SPDX-License-Identifier: MIT
#define SEM_GATE_MSR	  MSR_VEC
#define SEM_GATE_FACILITY FACILITY_VEC
#include "engine/interp.h"
#include "isa/sem/vmx_float.inc"
