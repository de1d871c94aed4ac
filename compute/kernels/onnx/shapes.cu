// Elements moved, never changed: views, parts, padding, selection, gathering and scattering. By size of element.
#include "tensor.h"

#define FOR_SIZES(kernel) \
  kernel(u8, 1) kernel(u16, 2) kernel(u32, 4) kernel(u64, 8)

#define FILL(type, bytes) \
  KERNEL(fill_##bytes, u32 n, const type* value, type* y) { EACH_ELEMENT(i, n) y[i] = value[0]; }
FOR_SIZES(FILL)

#define VIEW(type, bytes)                                                            \
  KERNEL(view_##bytes, u32 n, Space space, Steps steps, const type* x, type* y) {    \
    EACH_ELEMENT(i, n) y[i] = x[offset_of(place_of(i, space), steps)];               \
  }
FOR_SIZES(VIEW)

// The same for at most three dimensions, which most transposes and slices come to: half the divisions.
#define VIEW3(type, bytes)                                                                          \
  KERNEL(view3_##bytes, u32 n, u32 middle, u32 inner, i32 base, i32 p, i32 q, i32 r, const type* x, \
         type* y) {                                                                                 \
    EACH_ELEMENT(i, n) {                                                                            \
      u32 row = i / inner, outer = row / middle;                                                    \
      i32 c = (i32)(i - row * inner), b = (i32)(row - outer * middle);                              \
      y[i] = x[base + (i32)outer * p + b * q + c * r];                                              \
    }                                                                                               \
  }
FOR_SIZES(VIEW3)

#define COPY(type, bytes) \
  KERNEL(copy_##bytes, u32 n, const type* x, type* y) { EACH_ELEMENT(i, n) y[i] = x[i]; }
FOR_SIZES(COPY)

// `whole` with the box from `low` of size `extent` taken from `part`.
#define JOIN(type, bytes)                                                                                      \
  KERNEL(join_##bytes, u32 n, Space space, Space low, Space extent, Steps steps, const type* part,             \
         const type* whole, type* y) {                                                                         \
    EACH_ELEMENT(i, n) {                                                                                       \
      Place place = place_of(i, space);                                                                        \
      bool inside = true;                                                                                      \
      _Pragma("unroll") for (int d = 0; d < RANK; d++) {                                                       \
        place.at[d] -= low.size[d];                                                                            \
        inside = inside && place.at[d] < extent.size[d];                                                       \
      }                                                                                                        \
      if (inside) y[i] = part[offset_of(place, steps)];                                                        \
      else y[i] = whole[i];                                                                                    \
    }                                                                                                          \
  }
FOR_SIZES(JOIN)

// Modes: 0 a value, 1 the edge, 2 mirrored without the edge, 3 round and round.
OGPU_INLINE i32 padded_position(i32 at, i32 size, int mode) {
  if (at >= 0 && at < size) return at;
  if (mode == 0) return -1;
  if (mode == 1) return at < 0 ? 0 : size - 1;
  if (mode == 3) return ((at % size) + size) % size;
  i32 period = size > 1 ? 2 * (size - 1) : 1;
  i32 inside = ((at % period) + period) % period;
  return inside < size ? inside : period - inside;
}

#define PAD(type, bytes)                                                                                           \
  KERNEL(pad_##bytes, u32 n, int mode, Space space, Space from, Steps before, Steps steps, const type* value,       \
         const type* x, type* y) {                                                                                 \
    EACH_ELEMENT(i, n) {                                                                                           \
      Place place = place_of(i, space);                                                                            \
      bool inside = true;                                                                                          \
      _Pragma("unroll") for (int d = 0; d < RANK; d++) {                                                           \
        i32 at = padded_position((i32)place.at[d] - before.step[d], (i32)from.size[d], mode);                      \
        inside = inside && at >= 0;                                                                                \
        place.at[d] = (u32)at;                                                                                     \
      }                                                                                                            \
      if (inside) y[i] = x[offset_of(place, steps)];                                                               \
      else y[i] = value[0];                                                                                        \
    }                                                                                                              \
  }
FOR_SIZES(PAD)

#define WHERE(type, bytes)                                                                                        \
  KERNEL(where_##bytes, u32 n, Space space, Steps c, Steps a, Steps b, const u8* condition, const type* x,        \
         const type* y, type* z) {                                                                                \
    EACH_ELEMENT(i, n) {                                                                                          \
      Place place = place_of(i, space);                                                                           \
      if (condition[offset_of(place, c)] != 0) z[i] = x[offset_of(place, a)];                                     \
      else z[i] = y[offset_of(place, b)];                                                                         \
    }                                                                                                             \
  }
FOR_SIZES(WHERE)

// Negative indices count from the end; what lies beyond is the author's mistake and taken as the nearest.
OGPU_INLINE i32 index_at(int type, const void* indices, u32 i, i32 size) {
  i64 index = load_integer(type, indices, i);
  index = index < 0 ? index + size : index;
  return (i32)(index < 0 ? 0 : index >= size ? size - 1 : index);
}

// y[outer, i, inner] = x[outer, indices[i], inner].
#define GATHER(type, bytes)                                                                                      \
  KERNEL(gather_##bytes, u32 n, u32 size, u32 count, u32 inner, int kind, const void* indices, const type* x,    \
         type* y) {                                                                                              \
    EACH_ELEMENT(i, n) {                                                                                         \
      u32 row = i / inner, outer = row / count;                                                                  \
      y[i] = x[(outer * size + index_at(kind, indices, row % count, size)) * inner + i % inner];                 \
    }                                                                                                            \
  }
FOR_SIZES(GATHER)

// y has the shape of the indices; along `axis` the index is the position in x.
#define GATHER_ELEMENTS(type, bytes)                                                                             \
  KERNEL(gather_elements_##bytes, u32 n, int axis, u32 size, Space space, Steps steps, int kind,                 \
         const void* indices, const type* x, type* y) {                                                          \
    EACH_ELEMENT(i, n) {                                                                                         \
      Place place = place_of(i, space);                                                                          \
      u32 index = (u32)index_at(kind, indices, i, size);                                                         \
      _Pragma("unroll") for (int d = 0; d < RANK; d++) place.at[d] = d == axis ? index : place.at[d];            \
      y[i] = x[offset_of(place, steps)];                                                                         \
    }                                                                                                            \
  }
FOR_SIZES(GATHER_ELEMENTS)

// y[batch, tuple, inner] = x[batch, ...tuple, inner]; a tuple has `depth` indices into dimensions `from`.
#define GATHER_ND(type, bytes)                                                                                   \
  KERNEL(gather_nd_##bytes, u32 n, u32 tuples, int depth, u32 inner, u32 volume, Space from, int kind,           \
         const void* indices, const type* x, type* y) {                                                          \
    EACH_ELEMENT(i, n) {                                                                                         \
      u32 tuple = i / inner, batch = tuple / tuples, at = 0;                                                     \
      _Pragma("unroll") for (int d = 0; d < RANK; d++)                                                           \
        if (d < depth) at = at * from.size[d] + index_at(kind, indices, tuple * depth + d, from.size[d]);        \
      y[i] = x[(batch * volume + at) * inner + i % inner];                                                       \
    }                                                                                                            \
  }
FOR_SIZES(GATHER_ND)

// Each element of y looks for what is put there, in the order of the indices.
#define SCATTER_ELEMENTS(type, bytes)                                                                                 \
  KERNEL(scatter_elements_##bytes, u32 n, int axis, u32 size, u32 count, Space space, Space extent, Steps steps,      \
         int kind, const void* indices, const type* updates, const type* x, type* y) {                                \
    EACH_ELEMENT(i, n) {                                                                                              \
      Place place = place_of(i, space);                                                                               \
      u32 own = 0;                                                                                                    \
      bool inside = true;                                                                                             \
      _Pragma("unroll") for (int d = 0; d < RANK; d++) {                                                              \
        own = d == axis ? place.at[d] : own;                                                                          \
        place.at[d] = d == axis ? 0 : place.at[d];                                                                    \
        inside = inside && place.at[d] < extent.size[d];                                                              \
      }                                                                                                               \
      type value = x[i];                                                                                              \
      i32 at = offset_of(place, steps);                                                                               \
      u32 step = 0;                                                                                                   \
      _Pragma("unroll") for (int d = 0; d < RANK; d++) step = d == axis ? (u32)steps.step[d] : step;                  \
      for (u32 j = 0; inside && j < count; j++, at += step)                                                           \
        if (index_at(kind, indices, at, size) == own) value = updates[at];                                            \
      y[i] = value;                                                                                                   \
    }                                                                                                                 \
  }
FOR_SIZES(SCATTER_ELEMENTS)

#define SCATTER_ND(type, bytes)                                                                                       \
  KERNEL(scatter_nd_##bytes, u32 n, u32 tuples, int depth, u32 inner, Space from, int kind, const void* indices,      \
         const type* updates, const type* x, type* y) {                                                               \
    EACH_ELEMENT(i, n) {                                                                                              \
      type value = x[i];                                                                                              \
      for (u32 tuple = 0; tuple < tuples; tuple++) {                                                                  \
        u32 at = 0;                                                                                                   \
        _Pragma("unroll") for (int d = 0; d < RANK; d++)                                                              \
          if (d < depth) at = at * from.size[d] + index_at(kind, indices, tuple * depth + d, from.size[d]);           \
        if (at == i / inner) value = updates[tuple * inner + i % inner];                                              \
      }                                                                                                               \
      y[i] = value;                                                                                                   \
    }                                                                                                                 \
  }
FOR_SIZES(SCATTER_ND)

// With a reduction: 0 add, 1 multiply, 2 minimum, 3 maximum.
OGPU_INLINE float combined(int how, float a, float b) {
  if (how == 0) return ogpu::add(a, b);
  if (how == 1) return ogpu::mul(a, b);
  return how == 2 ? ogpu::smaller(a, b) : ogpu::larger(a, b);
}

KERNEL(scatter_elements_reduce, u32 n, int how, int axis, u32 size, u32 count, Space space, Space extent, Steps steps,
       int kind, const void* indices, const float* updates, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    Place place = place_of(i, space);
    u32 own = 0, step = 0;
    bool inside = true;
#pragma unroll
    for (int d = 0; d < RANK; d++) {
      own = d == axis ? place.at[d] : own;
      step = d == axis ? (u32)steps.step[d] : step;
      place.at[d] = d == axis ? 0 : place.at[d];
      inside = inside && place.at[d] < extent.size[d];
    }
    float value = x[i];
    i32 at = offset_of(place, steps);
    for (u32 j = 0; inside && j < count; j++, at += step)
      if (index_at(kind, indices, at, size) == own) value = combined(how, value, updates[at]);
    y[i] = value;
  }
}

KERNEL(scatter_nd_reduce, u32 n, int how, u32 tuples, int depth, u32 inner, Space from, int kind, const void* indices,
       const float* updates, const float* x, float* y) {
  EACH_ELEMENT(i, n) {
    float value = x[i];
    for (u32 tuple = 0; tuple < tuples; tuple++) {
      u32 at = 0;
#pragma unroll
      for (int d = 0; d < RANK; d++)
        if (d < depth) at = at * from.size[d] + index_at(kind, indices, tuple * depth + d, from.size[d]);
      if (at == i / inner) value = combined(how, value, updates[tuple * inner + i % inner]);
    }
    y[i] = value;
  }
}
