/** Tensors as numpy saves them: NEP 1, versions 1 to 3, little-endian elements in C order. */
import { bytesOf, type ElementType } from "../element-types.ts";
import { checkShape, countOf, type Tensor } from "../tensor.ts";
import { reject } from "./errors.ts";
import { MAX_NPY_HEADER } from "./limits.ts";

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59] as const;

/** The letter and size of numpy's `descr`, after the byte order. */
const NAMES: Readonly<Record<ElementType, string>> = {
  f32: "f4",
  f64: "f8",
  f16: "f2",
  i8: "i1",
  u8: "u1",
  i16: "i2",
  u16: "u2",
  i32: "i4",
  u32: "u4",
  i64: "i8",
  u64: "u8",
  bool: "b1",
};

const TYPES: ReadonlyMap<string, ElementType> = new Map(
  Object.entries(NAMES).map(([type, name]) => [name, type as ElementType]),
);

export function decodeNpy(bytes: Uint8Array): Tensor {
  const { header, start } = headerOf(bytes);
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(header)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  const sizes = /'shape'\s*:\s*\(([0-9,\s]*)\)/.exec(header)?.[1];
  if (order === undefined || sizes === undefined)
    return reject("TENSOR_FORMAT", "the npy header has no shape or order");
  const type = typeOf(descr);
  if (order === "True") {
    return reject("TENSOR_UNSUPPORTED", "the npy file is in Fortran order", "Save numpy.ascontiguousarray(x) instead.");
  }
  const shape = checkShape(sizes.split(",").flatMap((text) => (text.trim() === "" ? [] : [Number(text)])));
  const contents = bytes.slice(start);
  const wanted = countOf(shape) * bytesOf(type);
  if (contents.length !== wanted) {
    return reject(
      "TENSOR_FORMAT",
      `the npy header promises ${wanted} bytes of elements, the file has ${contents.length}`,
    );
  }
  // Other bytes than 0 and 1 are true as well; kernels count on 1.
  return { type, shape, bytes: type === "bool" ? contents.map((byte) => (byte === 0 ? 0 : 1)) : contents };
}

function headerOf(bytes: Uint8Array): { readonly header: string; readonly start: number } {
  if (bytes.length < 8 || MAGIC.some((byte, i) => bytes[i] !== byte))
    return reject("TENSOR_FORMAT", "the file is no npy file");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = bytes[6] ?? 0;
  if (version < 1 || version > 3) return reject("TENSOR_UNSUPPORTED", `npy version ${version} is not read`);
  const first = version === 1 ? 10 : 12;
  if (bytes.length < first) return reject("TENSOR_FORMAT", "the npy file ends within its header");
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MAX_NPY_HEADER || first + length > bytes.length) {
    return reject("TENSOR_FORMAT", `an npy header of ${length} bytes is too long, or longer than the file`);
  }
  return { header: new TextDecoder("latin1").decode(bytes.subarray(first, first + length)), start: first + length };
}

function typeOf(descr: string | undefined): ElementType {
  if (descr === undefined) return reject("TENSOR_UNSUPPORTED", "npy files of records are not read");
  const type = TYPES.get(descr.slice(1));
  if (type === undefined || !["<", "|", "="].includes(descr.slice(0, 1))) {
    const hint = "Save it as a little-endian array of numbers: x.astype('<f4').";
    return reject("TENSOR_UNSUPPORTED", `npy elements of type '${descr}' are not read`, hint);
  }
  return type;
}

export function encodeNpy({ type, shape, bytes }: Tensor): Uint8Array {
  const descr = `${bytesOf(type) === 1 ? "|" : "<"}${NAMES[type]}`;
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Elements begin at a multiple of 64, after a line feed.
  const header = `${text.padEnd(Math.ceil((11 + text.length) / 64) * 64 - 11)}\n`;
  const file = new Uint8Array(10 + header.length + bytes.length);
  file.set([...MAGIC, 1, 0, header.length & 0xff, header.length >> 8]);
  file.set(new TextEncoder().encode(header), 10);
  file.set(bytes, 10 + header.length);
  return file;
}
