// What the kernels of ONNX operators share: elements of any type, positions in tensors of up to six dimensions, and the
// two shapes of work. A block of 256 threads makes 1,024 elements of the result; a block of 64 threads makes 64 rows.
#pragma once

#include "../../include/ogpu-math.h"

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

#define EACH_ELEMENT(i, n)                                  \
  _Pragma("unroll 1") for (int part_ = 0; part_ < 4; part_++) \
    if (unsigned i = blockIdx.x * 1024u + part_ * 256u + threadIdx.x; i < (n))

#define EACH_ROW(row, rows) if (unsigned row = blockIdx.x * 64u + threadIdx.x; row < (rows))

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

// Element types, as compute/onnx/element-types.ts numbers them.
enum Type { F32, F64, F16, I8, U8, I16, U16, I32, U32, I64, U64, BOOL };

#define RANK 6

// Sizes, outermost first; missing dimensions are 1.
struct Space {
  u32 size[RANK];
};

// How far apart neighbours along each dimension lie, in elements.
struct Steps {
  i32 step[RANK];
  i32 base;
};

struct Place {
  u32 at[RANK];
};

OGPU_INLINE Place place_of(u32 i, const Space& space) {
  Place place;
#pragma unroll
  for (int d = RANK - 1; d > 0; d--) {
    place.at[d] = i % space.size[d];
    i /= space.size[d];
  }
  place.at[0] = i;
  return place;
}

OGPU_INLINE i32 offset_of(const Place& place, const Steps& steps) {
  i32 offset = steps.base;
#pragma unroll
  for (int d = 0; d < RANK; d++) offset += (i32)place.at[d] * steps.step[d];
  return offset;
}

// Any integer, as 64 bits with its sign or without.
OGPU_INLINE i64 load_integer(int type, const void* from, i64 i) {
  switch (type) {
    case I8: return ((const i8*)from)[i];
    case I16: return ((const i16*)from)[i];
    case U16: return ((const u16*)from)[i];
    case I32: return ((const i32*)from)[i];
    case U32: return ((const u32*)from)[i];
    case I64:
    case U64: return ((const i64*)from)[i];
    default: return ((const u8*)from)[i];
  }
}

OGPU_INLINE void store_integer(int type, void* to, i64 i, i64 value) {
  switch (type) {
    case I16:
    case U16: ((i16*)to)[i] = (i16)value; break;
    case I32:
    case U32: ((i32*)to)[i] = (i32)value; break;
    case I64:
    case U64: ((i64*)to)[i] = value; break;
    default: ((i8*)to)[i] = (i8)value;
  }
}

OGPU_INLINE float half_to_float(u16 half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
}

OGPU_INLINE u16 float_to_half(float value) {
  u16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
}
