/** Parses declarations of variables in state spaces: `.shared .align 4 .b8 tile[1024];` */
import { fail, type Place } from "./errors.ts";
import { MAX_CONSTANT_BYTES, MAX_LOCAL_BYTES, MAX_SHARED_BYTES } from "./limits.ts";
import { parseNumber } from "./literals.ts";
import { isFloat, isScalarType, type ScalarType, sizeOf } from "./scalar-types.ts";
import type { Operand, Space, Variable } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";

const SPACES: Readonly<Record<string, Space>> = {
  ".global": "global",
  ".shared": "shared",
  ".local": "local",
  ".const": "const",
};

const LIMITS: Readonly<Record<Space, number>> = {
  param: 0,
  global: MAX_CONSTANT_BYTES,
  const: MAX_CONSTANT_BYTES,
  shared: MAX_SHARED_BYTES,
  local: MAX_LOCAL_BYTES,
};

export function startsVariable(reader: TokenReader): boolean {
  return Object.hasOwn(SPACES, reader.current.text);
}

/** One declaration, which may name several variables. */
export function parseVariables(reader: TokenReader, external: boolean): readonly Variable[] {
  const start = reader.current;
  const space = Object.hasOwn(SPACES, start.text) ? SPACES[start.text] : undefined;
  if (space === undefined) reader.unexpected("a directive");
  reader.take();
  const { type, alignment, lanes } = declaredType(reader);
  const variables: Variable[] = [];
  do {
    variables.push(declarator(reader, space, type, lanes, Math.max(alignment, sizeOf(type) * lanes), external));
    if (variables.length > 4_096) fail("PTX_LIMIT", "too many variables in one declaration", start);
  } while (reader.accept(","));
  reader.expect(";");
  return variables;
}

interface DeclaredType {
  readonly type: ScalarType;
  readonly alignment: number;
  readonly lanes: number;
}

function declaredType(reader: TokenReader): DeclaredType {
  let alignment = 1;
  let lanes = 1;
  for (;;) {
    const token = reader.current;
    const name = token.text.slice(1);
    if (reader.accept(".align")) {
      alignment = reader.count("an alignment", 1_024);
      if (alignment < 1 || (alignment & (alignment - 1)) !== 0) fail("PTX_SYNTAX", "not a power of two", token);
    } else if (reader.accept(".v2")) lanes = 2;
    else if (reader.accept(".v4")) lanes = 4;
    else if (token.kind === "dotted" && isScalarType(name)) {
      reader.take();
      return { type: name, alignment, lanes };
    } else fail("PTX_UNSUPPORTED", `variables with ${JSON.stringify(token.text)} are not supported`, token);
  }
}

function declarator(
  reader: TokenReader,
  space: Space,
  type: ScalarType,
  lanes: number,
  alignment: number,
  external: boolean,
): Variable {
  const { text: name, line, column } = reader.word("the name of a variable");
  const place = { line, column };
  let count = lanes;
  let dynamic = false;
  while (reader.accept("[")) {
    if (reader.at("]")) dynamic = true;
    else count *= reader.count("an array's length", LIMITS[space]);
    reader.expect("]");
  }
  const size = dynamic ? 0 : count * sizeOf(type);
  if (size > LIMITS[space]) {
    fail("PTX_LIMIT", `${name} takes ${size} bytes, more than the ${LIMITS[space]} of .${space}`, place);
  }
  if (dynamic !== (external && space === "shared")) {
    fail("PTX_UNSUPPORTED", `${name}: only .extern .shared arrays may leave their length open`, place);
  }
  if (!reader.accept("=")) return { name, space, size, alignment, initial: undefined, dynamic, ...place };
  if (space !== "const" && space !== "global") fail("PTX_SYNTAX", `.${space} variables have no initial value`, place);
  return { name, space, size, alignment, initial: initializer(reader, type, size, place), dynamic, ...place };
}

/** Values in nested braces, in order; what is not given is zero. */
function initializer(reader: TokenReader, type: ScalarType, size: number, place: Place): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  let depth = 0;
  do {
    if (reader.accept("{")) depth++;
    else if (reader.accept("}")) depth--;
    else if (depth === 0 || !reader.accept(",")) {
      const negative = reader.accept("-");
      const token = reader.current;
      if (token.kind !== "number") fail("PTX_UNSUPPORTED", "an initial value that is not a number", token);
      if (offset + sizeOf(type) > size) fail("PTX_SYNTAX", "more initial values than the variable holds", place);
      writeValue(bytes, offset, type, parseNumber(reader.take().text, negative, token), token);
      offset += sizeOf(type);
    }
  } while (depth > 0);
  return bytes;
}

function writeValue(bytes: Uint8Array, offset: number, type: ScalarType, value: Operand, place: Place): void {
  const bits = immediateBits(value, type, place);
  for (let i = 0; i < sizeOf(type); i++) bytes[offset + i] = Number((bits >> BigInt(8 * i)) & 0xffn);
}

const view = new DataView(new ArrayBuffer(8));

/** The bits of a literal where a value of `type` is wanted. */
export function immediateBits(value: Operand, type: ScalarType, place: Place): bigint {
  const width = 8 * sizeOf(type);
  if (value.kind === "integer") {
    if (isFloat(type)) fail("PTX_TYPE", "an integer stands where a float is wanted", place);
    return BigInt.asUintN(width, value.value);
  }
  if (value.kind !== "float") return fail("PTX_TYPE", "expected a number", place);
  if (value.width === width) return value.bits;
  if (value.width === 64 && type === "f32") {
    view.setBigUint64(0, value.bits);
    view.setFloat32(0, view.getFloat64(0));
    return BigInt(view.getUint32(0));
  }
  return fail("PTX_TYPE", `a float of ${value.width} bits stands where ${type} is wanted`, place);
}
