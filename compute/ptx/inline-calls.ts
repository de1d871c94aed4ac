/**
 * Puts the bodies of device functions in the place of their calls, so that everything behind sees one kernel without
 * calls. What is passed goes through registers: an address keeps the object that it points into, also when the same
 * function is called for several buffers. A function that calls itself has no such form and is refused.
 */
import { type CodedError, isCoded } from "../../base/errors.ts";
import { fail } from "./errors.ts";
import { INLINED_FOR_ALL, INLINED_PER_PART, MAX_CALL_DEPTH, MAX_INSTRUCTIONS, MAX_REGISTERS } from "./limits.ts";
import { isScalarType, type ScalarType, sizeOf } from "./scalar-types.ts";
import type {
  Guard,
  Operand,
  ParsedBody,
  ParsedFunction,
  ParsedKernel,
  ParsedModule,
  Statement,
  Variable,
} from "./syntax.ts";

export interface Inlined {
  readonly kernel: ParsedKernel;
  readonly problems: readonly CodedError[];
}

export function inlineCalls(kernel: ParsedKernel, module: ParsedModule): Inlined {
  if (!kernel.statements.some(({ call }) => call !== undefined)) return { kernel, problems: [] };
  return new Inliner(kernel, module).run();
}

/** One body as it is put into the kernel. */
interface Instance {
  readonly body: ParsedBody;
  /** What its registers' numbers move by. */
  readonly registers: number;
  /** Before its labels and parameters; empty for the kernel itself. */
  readonly prefix: string;
  /** Name of a parameter, result or `.param` variable -> the place behind it. */
  readonly places: ReadonlyMap<string, PassingPlace>;
  /** The functions around, outermost first. */
  readonly stack: readonly ParsedFunction[];
}

interface Slot {
  readonly size: number;
  readonly register: number;
}

/** Where a value is passed: one register for each part that was stored. */
interface PassingPlace {
  readonly name: string;
  readonly size: number;
  readonly slots: Map<number, Slot>;
}

class Inliner {
  readonly #kernel: ParsedKernel;
  readonly #module: ParsedModule;
  readonly #statements: Statement[] = [];
  readonly #labels = new Map<string, number>();
  readonly #jumpTables = new Map<string, readonly string[]>();
  readonly #registers: ScalarType[];
  readonly #registerNames: string[];
  readonly #variables: Variable[];
  readonly #functionsSeen = new Set<string>();
  readonly #problems: CodedError[] = [];
  #instances = 0;
  readonly #mostInlined: number;
  #inlined = 0;

  constructor(kernel: ParsedKernel, module: ParsedModule) {
    this.#kernel = kernel;
    this.#module = module;
    this.#registers = [...kernel.registers];
    this.#registerNames = [...kernel.registerNames];
    this.#variables = [...kernel.variables];
    const own = [kernel, ...module.functions.values()].reduce((sum, body) => sum + partsOf(body), 0);
    this.#mostInlined = INLINED_FOR_ALL + INLINED_PER_PART * own;
  }

  run(): Inlined {
    const places = placesOf(this.#kernel, "");
    this.#attempt(() => this.#body({ body: this.#kernel, registers: 0, prefix: "", places, stack: [] }));
    const kernel: ParsedKernel = {
      ...this.#kernel,
      statements: this.#statements,
      labels: this.#labels,
      jumpTables: this.#jumpTables,
      registers: this.#registers,
      registerNames: this.#registerNames,
      variables: this.#variables,
    };
    return { kernel, problems: this.#problems };
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!isCoded(error)) throw error;
      this.#problems.push(error);
    }
  }

  #body(instance: Instance): void {
    const { body, prefix } = instance;
    const labelsAt = new Map<number, string[]>();
    for (const [label, index] of body.labels) {
      const there = labelsAt.get(index);
      if (there === undefined) labelsAt.set(index, [label]);
      else there.push(label);
    }
    for (const [name, targets] of body.jumpTables) {
      this.#jumpTables.set(
        prefix + name,
        targets.map((target) => prefix + target),
      );
    }
    const place = (index: number): void => {
      for (const label of labelsAt.get(index) ?? []) this.#labels.set(prefix + label, this.#statements.length);
    };
    body.statements.forEach((statement, index) => {
      place(index);
      this.#statement(statement, instance);
    });
    place(body.statements.length);
  }

  #statement(statement: Statement, instance: Instance): void {
    const { opcode, call } = statement;
    const guard = moved(statement.guard, instance);
    if (call !== undefined) {
      this.#call({ ...statement, guard }, instance);
      return;
    }
    if (opcode === "ret" && instance.stack.length > 0) {
      this.#jump(`${instance.prefix}end`, { ...statement, guard });
      return;
    }
    const operands = statement.operands.map((operand) => this.#operand(operand, instance));
    const passed = this.#passed(statement, instance);
    if (passed === undefined) this.#push({ ...statement, guard, operands });
    else this.#pass({ ...statement, guard, operands }, passed);
  }

  #push(statement: Statement): void {
    this.#statements.push(statement);
    // The count is what stops functions that call functions that call functions.
    if (this.#statements.length > MAX_INSTRUCTIONS) {
      fail("PTX_LIMIT", `with its calls, the kernel has more than ${MAX_INSTRUCTIONS} instructions`, this.#kernel);
    }
  }

  #jump(label: string, { guard, line, column }: Statement): void {
    const operands = [{ kind: "symbol", name: label, offset: 0n }] as const;
    this.#push({ opcode: "bra", modifiers: [], operands, guard, line, column });
  }

  #operand(operand: Operand, instance: Instance): Operand {
    switch (operand.kind) {
      case "register":
      case "negated":
        return { kind: operand.kind, id: operand.id + instance.registers };
      case "symbol":
        return { ...operand, name: this.#symbol(operand.name, instance) };
      case "address":
        return { ...operand, base: operand.base === undefined ? undefined : this.#operand(operand.base, instance) };
      case "vector":
        return { kind: "vector", items: operand.items.map((item) => this.#operand(item, instance)) };
      case "pair":
        return {
          kind: "pair",
          first: this.#operand(operand.first, instance),
          second: this.#operand(operand.second, instance),
        };
      default:
        return operand;
    }
  }

  #symbol(name: string, { body, prefix, stack }: Instance): string {
    if (body.labels.has(name) || body.jumpTables.has(name)) return prefix + name;
    const owner = stack.at(-1);
    const own = owner !== undefined && body.variables.some((variable) => variable.name === name);
    return own ? `${owner.name}/${name}` : name;
  }

  #call(statement: Statement, instance: Instance): void {
    const { call, guard } = statement;
    const target = call?.target;
    if (call === undefined || target === undefined) {
      fail("PTX_UNSUPPORTED", "call: calls through pointers are not supported", statement);
    }
    const callee = this.#module.functions.get(target);
    if (callee?.defined !== true) {
      fail("PTX_UNSUPPORTED", `call: the module has no function ${target}`, statement);
    }
    if (instance.stack.includes(callee)) {
      fail("PTX_REFUSED", `call: ${target} calls itself, and how deep it may go is up to the machine`, statement);
    }
    if (instance.stack.length >= MAX_CALL_DEPTH) {
      fail("PTX_LIMIT", `call: calls are nested deeper than ${MAX_CALL_DEPTH}`, statement);
    }
    this.#count(callee, statement);
    const prefix = `${target}'${this.#instances++}/`;
    const places = placesOf(callee, prefix);
    bind(call.arguments, callee.parameters, statement, instance, places);
    bind(call.results, callee.results, statement, instance, places);
    if (guard !== undefined) this.#jump(`${prefix}end`, { ...statement, guard: { ...guard, negated: !guard.negated } });
    this.#variablesOf(callee);
    const registers = this.#declare(callee, statement);
    this.#body({ body: callee, registers, prefix, places, stack: [...instance.stack, callee] });
    this.#labels.set(`${prefix}end`, this.#statements.length);
  }

  #count(callee: ParsedFunction, statement: Statement): void {
    this.#inlined += partsOf(callee);
    if (this.#inlined > this.#mostInlined) {
      fail("PTX_LIMIT", `call: the bodies of all calls have more than ${this.#mostInlined} parts`, statement);
    }
  }

  /** Two calls of a function never run at the same time, so they share its variables. */
  #variablesOf({ name, variables }: ParsedFunction): void {
    if (this.#functionsSeen.has(name)) return;
    this.#functionsSeen.add(name);
    for (const variable of variables) this.#variables.push({ ...variable, name: `${name}/${variable.name}` });
  }

  #declare({ registers, registerNames }: ParsedFunction, statement: Statement): number {
    const first = this.#registers.length;
    if (first + registers.length > MAX_REGISTERS) {
      fail("PTX_LIMIT", `with its calls, the kernel has more than ${MAX_REGISTERS} registers`, statement);
    }
    this.#registers.push(...registers);
    this.#registerNames.push(...registerNames);
    return first;
  }

  /** The place that a load or store of `.param` goes to, if it belongs to a call. */
  #passed({ opcode, modifiers, operands }: Statement, instance: Instance): PassingPlace | undefined {
    if (!modifiers.some((modifier) => modifier === "param" || modifier === "param::func")) return undefined;
    const address = operands[opcode === "st" ? 0 : 1];
    const base = address?.kind === "address" ? address.base : undefined;
    return base?.kind === "symbol" ? instance.places.get(base.name) : undefined;
  }

  #pass(statement: Statement, place: PassingPlace): void {
    const { opcode, modifiers, operands } = statement;
    const type = modifiers.at(-1) ?? "";
    const address = operands[opcode === "st" ? 0 : 1];
    const value = operands[opcode === "st" ? 1 : 0];
    if (!isScalarType(type) || type === "pred" || address?.kind !== "address" || value === undefined) {
      fail("PTX_SYNTAX", `${opcode}.param: expected a type, a value and a place`, statement);
    }
    const values = value.kind === "vector" ? value.items : [value];
    values.forEach((item, lane) => {
      const offset = Number(address.offset) + lane * sizeOf(type);
      if (offset < 0 || offset + sizeOf(type) > place.size) {
        fail("PTX_TYPE", `${opcode}.param: beyond the ${place.size} bytes of ${place.name}`, statement);
      }
      if (opcode === "st") this.#store(statement, place, offset, type, item);
      else this.#load(statement, place, offset, type, item);
    });
  }

  #store(statement: Statement, place: PassingPlace, offset: number, type: ScalarType, value: Operand): void {
    const size = sizeOf(type);
    let slot = place.slots.get(offset);
    if (slot === undefined) {
      const overlaps = [...place.slots].some(([at, other]) => at < offset + size && offset < at + other.size);
      if (overlaps) fail("PTX_UNSUPPORTED", `st.param: ${place.name} is stored in parts that overlap`, statement);
      this.#registerNames.push(`${place.name}+${offset}`);
      slot = { size, register: this.#registers.push(slotType(type)) - 1 };
      place.slots.set(offset, slot);
    }
    if (slot.size !== size) {
      fail("PTX_UNSUPPORTED", `st.param: ${place.name} is stored in parts of different sizes`, statement);
    }
    const target: Operand = { kind: "register", id: slot.register };
    const narrow = size === 1 && value.kind === "register";
    const modifiers = narrow ? ["u16", "u8"] : [bits(Math.max(2, size))];
    this.#push({ ...statement, opcode: narrow ? "cvt" : "mov", modifiers, operands: [target, value] });
  }

  #load(statement: Statement, place: PassingPlace, offset: number, type: ScalarType, target: Operand): void {
    const slot = place.slots.get(offset);
    const size = sizeOf(type);
    if (slot === undefined || slot.size < size || target.kind !== "register") {
      if (target.kind === "sink") return;
      fail("PTX_UNSUPPORTED", `ld.param: ${place.name} was not stored in parts like this`, statement);
      return;
    }
    const source: Operand = { kind: "register", id: slot.register };
    const held = sizeOf(this.#registers[target.id] as ScalarType);
    if (slot.size === size && held === size) {
      this.#push({ ...statement, opcode: "mov", modifiers: [bits(size)], operands: [target, source] });
      return;
    }
    const sign = type.startsWith("s") ? "s" : "u";
    const modifiers = [`${sign}${8 * Math.max(2, held)}`, `${sign}${8 * size}`];
    this.#push({ ...statement, opcode: "cvt", modifiers, operands: [target, source] });
  }
}

/** What putting the body in the place of a call takes: a body without instructions takes time too. */
function partsOf({ statements, labels, jumpTables, callParameters }: ParsedBody): number {
  const targets = [...jumpTables.values()].reduce((sum, table) => sum + 1 + table.length, 0);
  return 1 + statements.length + labels.size + targets + callParameters.length;
}

function bits(size: number): string {
  return `b${8 * size}`;
}

function slotType(type: ScalarType): ScalarType {
  if (type === "f32" || type === "f64") return type;
  return bits(Math.max(2, sizeOf(type))) as ScalarType;
}

function moved(guard: Guard | undefined, { registers }: Instance): Guard | undefined {
  return guard === undefined ? undefined : { ...guard, register: guard.register + registers };
}

/** A kernel's own parameters are no such places: they come with the launch. */
function placesOf(body: ParsedBody, prefix: string): Map<string, PassingPlace> {
  const place = ({ name, size }: { readonly name: string; readonly size: number }): [string, PassingPlace] => [
    name,
    { name: prefix + name, size, slots: new Map() },
  ];
  return new Map(body.callParameters.map(place));
}

/** What the caller passes under its name is what the function finds under its own. */
function bind(
  operands: readonly Operand[],
  parameters: readonly { readonly name: string; readonly size: number }[],
  statement: Statement,
  caller: Instance,
  places: Map<string, PassingPlace>,
): void {
  if (operands.length !== parameters.length) {
    fail("PTX_TYPE", `call: ${operands.length} values where the function has ${parameters.length}`, statement);
  }
  parameters.forEach(({ name, size }, i) => {
    const operand = operands[i];
    const place = operand?.kind === "symbol" ? caller.places.get(operand.name) : undefined;
    if (place === undefined) fail("PTX_UNSUPPORTED", "call: values are passed by .param variables", statement);
    if (place.size !== size) {
      fail("PTX_TYPE", `call: ${place.name} has ${place.size} bytes, ${name} has ${size}`, statement);
    }
    places.set(name, place);
  });
}
