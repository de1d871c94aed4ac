/**
 * LLVM reads a structure that is passed by value through a register that holds the parameter's address. Where that register
 * has one value, the name is put back in its place: everything behind knows parameters by name alone. Any other use of such
 * an address stays as it is, and is refused where it stands.
 */
import type { Operand, ParsedBody, Statement } from "./syntax.ts";

const MAX_ROUNDS = 4;

/** A parameter, and bytes from its start. */
interface ParameterPlace {
  readonly name: string;
  readonly offset: bigint;
}

export function nameParameters<T extends ParsedBody>(body: T): T {
  const names = new Set(body.parameters.map(({ name }) => name));
  const isNamed = ({ opcode, operands }: Statement): boolean =>
    opcode === "mov" && operands.some((operand) => operand.kind === "symbol" && names.has(operand.name));
  if (!body.statements.some(isNamed)) return body;
  const places = placesOf(body, names);
  const statements = body.statements.map((statement) => {
    const [target] = statement.operands;
    if (target?.kind === "register" && places.get(target.id)?.definition === statement) return withoutEffect(statement);
    if (statement.opcode !== "ld" || statement.modifiers[0] !== "param") return statement;
    return { ...statement, operands: statement.operands.map((operand) => named(operand, places)) };
  });
  return { ...body, statements };
}

interface Held extends ParameterPlace {
  readonly definition: Statement;
}

/** Registers that hold an address of a parameter and nothing else, and that only `ld.param` and each other use. */
function placesOf({ statements }: ParsedBody, names: ReadonlySet<string>): ReadonlyMap<number, Held> {
  const writes = new Map<number, number>();
  const definitions = new Map<number, Statement>();
  for (const statement of statements) {
    const [target] = statement.operands;
    if (target?.kind !== "register") continue;
    writes.set(target.id, (writes.get(target.id) ?? 0) + 1);
    definitions.set(target.id, statement);
  }
  const places = new Map<number, Held>();
  // In the order of statements one round finds everything; code that goes against it gets a few more.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const [id, definition] of definitions) {
      const place = writes.get(id) === 1 && !places.has(id) ? placeMadeBy(definition, names, places) : undefined;
      if (place !== undefined) places.set(id, { ...place, definition });
    }
  }
  dropOthers(statements, places);
  return places;
}

function placeMadeBy(
  { opcode, operands, guard }: Statement,
  names: ReadonlySet<string>,
  places: ReadonlyMap<number, ParameterPlace>,
): ParameterPlace | undefined {
  const [, from, by] = operands;
  if (guard !== undefined || from === undefined) return undefined;
  if (opcode === "mov" && from.kind === "symbol") return names.has(from.name) ? from : undefined;
  const place = from.kind === "register" ? places.get(from.id) : undefined;
  if (place === undefined) return undefined;
  if (opcode === "mov") return place;
  return opcode === "add" && by?.kind === "integer" ? { ...place, offset: place.offset + by.value } : undefined;
}

/** A register that is used for anything else, and what it was made of, keep their statements. */
function dropOthers(statements: readonly Statement[], places: Map<number, Held>): void {
  const definitions = new Set([...places.values()].map(({ definition }) => definition));
  const open = statements.flatMap((statement) => (definitions.has(statement) ? [] : otherUses(statement)));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const held = places.get(id);
    places.delete(id);
    if (held !== undefined) open.push(...held.definition.operands.slice(1).flatMap(registersOf));
  }
}

/** Registers of a statement, but not the base of an address that parameters are read at. */
function otherUses({ opcode, modifiers, operands }: Statement): readonly number[] {
  const isLoad = opcode === "ld" && modifiers[0] === "param";
  return operands.flatMap((operand) => (isLoad && operand.kind === "address" ? [] : registersOf(operand)));
}

function registersOf(operand: Operand): readonly number[] {
  if (operand.kind === "register" || operand.kind === "negated") return [operand.id];
  if (operand.kind === "address") return operand.base === undefined ? [] : registersOf(operand.base);
  if (operand.kind === "vector") return operand.items.flatMap(registersOf);
  return operand.kind === "pair" ? [operand.first, operand.second].flatMap(registersOf) : [];
}

function named(operand: Operand, places: ReadonlyMap<number, ParameterPlace>): Operand {
  if (operand.kind !== "address" || operand.base?.kind !== "register") return operand;
  const place = places.get(operand.base.id);
  if (place === undefined) return operand;
  return { ...operand, base: { kind: "symbol", name: place.name, offset: 0n }, offset: operand.offset + place.offset };
}

/** In its place, because labels count statements. */
function withoutEffect({ line, column }: Statement): Statement {
  return { opcode: "fence", modifiers: [], operands: [], guard: undefined, line, column };
}
