/**
 * Loads, stores and reductions. An address is an offset into its object, so one comparison checks bounds and alignment:
 * the offset, turned right by the logarithm of the size, is at least the number of whole places when it lies outside
 * or when a low bit is set.
 */
import { assert } from "../../../base/errors.ts";
import type { Instruction, MemoryAccess, Source } from "../ir.ts";
import type { PointerObject } from "../pointers.ts";
import { alignmentOf, isSigned, isWide, type ScalarType, sizeOf } from "../scalar-types.ts";
import type { Variable } from "../syntax.ts";
import type { Emitter, Width } from "./emitter.ts";
import { IMPORTED_TRACE } from "./helpers.ts";
import * as at from "./layout.ts";
import type { MemoryOp } from "./opcodes.ts";
import { accessNumber } from "./shadow.ts";

/** The address on the stack plus this constant is where the access goes. */
type Displacement = number;

function address(e: Emitter, instruction: Instruction): Displacement {
  const memory = instruction.memory as MemoryAccess;
  if (memory.space === "param") {
    e.code.i32(0);
    return at.PARAMETERS + Number(memory.offset);
  }
  const object = e.checked.pointers.objectOf(instruction);
  assert(object !== undefined, "the checker knows the object of each access");
  const width = offsetWidth(e, memory.base);
  const offset = e.temporary(width, "offset");
  pushOffset(e, memory, width);
  if (object.kind === "parameter") {
    const displacement = bufferAddress(e, instruction, object, offset, width);
    if (e.checked.pointers.buffers.get(object.index)?.stores === true) trace(e, instruction, displacement);
    return displacement;
  }
  const variable = e.checked.kernel.variables[object.index] as Variable;
  const displacement = variableAddress(e, instruction, variable, object.index, offset, width);
  if (variable.space === "shared") trace(e, instruction, displacement);
  return displacement;
}

/** Notes an access at the address on the stack, which stays there. */
function trace(e: Emitter, { op, mode, memory, line }: Instruction, displacement: Displacement): void {
  if (!e.findRaces) return;
  const traced = e.temporary("i32", "traced");
  e.code.tee(traced).get(traced).i32(displacement).op("i32.add");
  e.code.i32((memory as MemoryAccess).bytes).get(e.frame);
  e.code.i32(accessNumber(op as "ld" | "st" | "red", mode) | (line << 4)).call(IMPORTED_TRACE);
}

function offsetWidth(e: Emitter, base: Source): Width {
  return base.kind === "register" && isWide(e.typeOf(base.id)) ? "i64" : "i32";
}

function pushOffset(e: Emitter, { base, offset }: MemoryAccess, width: Width): void {
  e.push(base, width === "i64" ? "b64" : "b32");
  if (offset === 0n) return;
  e.constant(width, offset);
  e.op(width, "add");
}

function bufferAddress(
  e: Emitter,
  instruction: Instruction,
  { index }: PointerObject,
  offset: number,
  width: Width,
): Displacement {
  const { code } = e;
  const bytes = (instruction.memory as MemoryAccess).bytes;
  const use = e.checked.pointers.buffers.get(index);
  const entry = at.BUFFERS + index * at.BUFFER_ENTRY;
  if (width === "i32") code.op("i64.extend_i32_u");
  if (use?.stores === true) {
    const wide = e.temporary("i64", "offset");
    const table = e.paged ? bufferBase(e, index) : undefined;
    code.set(wide);
    if (table !== undefined) code.get(table);
    code.i32(entry).get(wide).i32(bytes).i32(instruction.line);
    e.call("checkTile");
    if (e.paged) e.call("page");
    else noteChunk(e);
    return 0;
  }
  const shift = BigInt(alignmentOf(bytes));
  const places = e.hoist(`places ${index} ${shift}`, "i64", (start) =>
    start
      .i32(0)
      .memory("i64.load", entry + at.ENTRY_LENGTH)
      .i64(shift)
      .op("i64.shr_u"),
  );
  const base = bufferBase(e, index);
  const wide = width === "i64" ? offset : e.temporary("i64", "offset");
  code.tee(wide);
  if (shift > 0n) code.i64(shift).op("i64.rotr");
  code.get(places).op("i64.ge_u");
  e.trapIf(at.TRAP_OUT_OF_BOUNDS, instruction);
  code.get(base).get(wide).op("i32.wrap_i64");
  if (e.paged) {
    e.call("page");
    return 0;
  }
  code.op("i32.add");
  noteChunk(e);
  return 0;
}

/** Where the buffer behind a parameter lies, or its table of chunks. */
function bufferBase(e: Emitter, index: number): number {
  const place = at.BUFFERS + index * at.BUFFER_ENTRY + at.ENTRY_BASE;
  return e.hoist(`base ${index}`, "i32", (start) => start.i32(0).memory("i32.load", place));
}

/** Marks the chunk of the address on the stack, which stays there. An aligned access never crosses chunks. */
function noteChunk(e: Emitter): void {
  if (!e.trackChunks) return;
  const map = e.hoist("chunks", "i32", (start) => start.i32(0).memory("i32.load", at.CHUNK_MAP));
  const chunk = e.temporary("i32", "chunk");
  const touched = e.temporary("i32", "touched");
  e.code.tee(touched).get(touched).i32(at.CHUNK_SHIFT).op("i32.shr_u").tee(chunk);
  e.code.get(map).op("i32.add").memory("i32.load8_u").op("i32.eqz").if().get(chunk);
  e.call("markChunk");
  e.code.op("end");
}

function variableAddress(
  e: Emitter,
  instruction: Instruction,
  variable: Variable,
  index: number,
  offset: number,
  width: Width,
): Displacement {
  const { code, layout } = e;
  const shift = alignmentOf((instruction.memory as MemoryAccess).bytes);
  code.tee(offset);
  if (shift > 0) {
    e.constant(width, BigInt(shift));
    e.op(width, "rotr");
  }
  if (variable.dynamic) pushDynamicPlaces(e, shift, width);
  else e.constant(width, BigInt(variable.size >>> shift));
  e.op(width, "ge_u");
  e.trapIf(at.TRAP_OUT_OF_BOUNDS, instruction);
  code.get(offset);
  if (width === "i64") code.op("i32.wrap_i64");
  if (variable.space === "local") code.get(e.frame).op("i32.add");
  return layout.variables[index] as number;
}

function pushDynamicPlaces(e: Emitter, shift: number, width: Width): void {
  const places = e.hoist(`dynamic ${shift}`, "i32", (start) =>
    start.i32(0).memory("i32.load", at.DYNAMIC_SHARED_BYTES).i32(shift).op("i32.shr_u"),
  );
  e.code.get(places);
  if (width === "i64") e.code.op("i64.extend_i32_u");
}

function loadOp(type: ScalarType): MemoryOp {
  const size = sizeOf(type);
  if (size === 8) return "i64.load";
  if (size === 4) return "i32.load";
  return `i32.load${size === 1 ? 8 : 16}_${isSigned(type) ? "s" : "u"}`;
}

function storeOp(type: ScalarType): MemoryOp {
  const size = sizeOf(type);
  if (size === 8) return "i64.store";
  if (size === 4) return "i32.store";
  return size === 1 ? "i32.store8" : "i32.store16";
}

export function emitLoad(e: Emitter, instruction: Instruction): void {
  const { type, dst } = instruction;
  let displacement = address(e, instruction);
  if (dst.length === 1) {
    loadInto(e, dst[0] as number, type, displacement);
    return;
  }
  const start = e.temporary("i32", "address");
  e.code.set(start);
  for (const id of dst) {
    e.code.get(start);
    loadInto(e, id, type, displacement);
    displacement += sizeOf(type);
  }
}

/** From the address on the stack, without a way through integers where the register is a float of that size. */
function loadInto(e: Emitter, register: number, type: ScalarType, displacement: number): void {
  const home = register < 0 ? "i32" : e.home(register);
  if ((home === "f32" && sizeOf(type) === 4) || (home === "f64" && sizeOf(type) === 8)) {
    e.code.memory(`${home}.load`, displacement).set(e.local(register));
    return;
  }
  e.code.memory(loadOp(type), displacement);
  e.store(register, type);
}

function storeFrom(e: Emitter, source: Source, type: ScalarType, displacement: number): void {
  const home = source.kind === "register" ? e.home(source.id) : "i32";
  if ((home === "f32" && sizeOf(type) === 4) || (home === "f64" && sizeOf(type) === 8)) {
    e.pushFloat(source, home);
    e.code.memory(`${home}.store`, displacement);
    return;
  }
  e.push(source, type);
  e.code.memory(storeOp(type), displacement);
}

export function emitStore(e: Emitter, instruction: Instruction): void {
  const { type, src } = instruction;
  let displacement = address(e, instruction);
  const start = e.temporary("i32", "address");
  if (src.length > 1) e.code.set(start);
  for (const source of src) {
    if (src.length > 1) e.code.get(start);
    storeFrom(e, source, type, displacement);
    displacement += sizeOf(type);
  }
}

export function emitReduction(e: Emitter, instruction: Instruction): void {
  const { type, src, mode } = instruction;
  const width: Width = isWide(type) ? "i64" : "i32";
  const displacement = address(e, instruction);
  const start = e.temporary("i32", "address");
  const old = e.temporary(width, "old");
  e.code.tee(start).get(start).memory(loadOp(type), displacement).set(old);
  const value = (): void => e.push(src[0] as Source, type);
  e.code.get(old);
  value();
  if (mode === "min" || mode === "max") {
    e.code.get(old);
    value();
    e.op(width, `${mode === "min" ? "lt" : "gt"}_${isSigned(type) ? "s" : "u"}`);
    e.code.op("select");
  } else e.op(width, mode);
  e.code.memory(storeOp(type), displacement);
}
