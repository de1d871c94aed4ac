/**
 * Counts what a decoder would make objects of, before it does: two bytes of a file can become hundreds in memory. Walks the
 * wire format by the schema, without making anything.
 */
import type protobuf from "protobufjs/light.js";
import { reject } from "./errors.ts";
import { MAX_FIELDS } from "./limits.ts";

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  count: number;
}

/** Throws ONNX_LIMIT for more than the limit, ONNX_FORMAT for bytes that are no fields. */
export function countFields(bytes: Uint8Array, type: protobuf.Type): number {
  const cursor = { bytes, at: 0, count: 0 };
  walk(cursor, bytes.length, type);
  return cursor.count;
}

/** Fields of messages within messages; the schema has no cycles, so the depth is bounded by it. */
function walk(cursor: Cursor, end: number, type: protobuf.Type): void {
  while (cursor.at < end) {
    if (++cursor.count > MAX_FIELDS) reject("ONNX_LIMIT", `the model has more than ${MAX_FIELDS} fields`);
    const tag = varint(cursor, end);
    const [id, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) varint(cursor, end);
    else if (wire === 1) cursor.at += 8;
    else if (wire === 5) cursor.at += 4;
    else if (wire === 2) delimited(cursor, end, type.fieldsById[id]);
    else reject("ONNX_FORMAT", `the file is no ONNX model: wire type ${wire}`);
    if (cursor.at > end) reject("ONNX_FORMAT", "the file is no ONNX model: a field goes beyond its end");
  }
}

function delimited(cursor: Cursor, end: number, field: protobuf.Field | undefined): void {
  const length = varint(cursor, end);
  const stop = cursor.at + length;
  if (stop > end) reject("ONNX_FORMAT", "the file is no ONNX model: a field goes beyond its end");
  const inner = field?.resolve().resolvedType;
  if (inner !== undefined && inner !== null && "fieldsById" in inner) walk(cursor, stop, inner);
  // Numbers in a row become numbers in a list: at least a byte each.
  else if (field?.repeated === true && field.type !== "string" && field.type !== "bytes") cursor.count += length;
  cursor.at = stop;
}

function varint(cursor: Cursor, end: number): number {
  let value = 0;
  for (let factor = 1, length = 0; length < 10; factor *= 128, length++) {
    if (cursor.at >= end) break;
    const byte = cursor.bytes[cursor.at++] as number;
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
  return reject("ONNX_FORMAT", "the file is no ONNX model: a number does not end");
}
