/** Parses one `.entry` or `.func`: its parameters, registers, variables and statements. */
import { fail, type Place } from "./errors.ts";
import {
  MAX_INSTRUCTIONS,
  MAX_JUMP_TARGETS,
  MAX_PARAMETER_BYTES,
  MAX_PARAMETERS,
  MAX_REGISTERS,
  MAX_SCOPES,
  MAX_VARIABLES,
} from "./limits.ts";
import { OperandParser } from "./operand-parser.ts";
import { isScalarType, type ScalarType, sizeOf } from "./scalar-types.ts";
import type {
  CallParameter,
  CallSyntax,
  Guard,
  Operand,
  Parameter,
  ParsedBody,
  ParsedFunction,
  ParsedKernel,
  Statement,
  Variable,
} from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";
import { parseVariables, startsVariable } from "./variable-parser.ts";

const TUNING: Readonly<Record<string, number>> = {
  ".maxntid": 3,
  ".reqntid": 3,
  ".minnctapersm": 1,
  ".maxnctapersm": 1,
  ".maxnreg": 1,
};

/** Hints, and declarations around calls through pointers, which are refused where they are used. */
const SKIPPED: ReadonlySet<string> = new Set([".calltargets", ".callprototype", ".pragma"]);

export class KernelParser {
  readonly #reader: TokenReader;
  readonly #operands: OperandParser;
  readonly #moduleVariables: readonly Variable[];
  #parameters: Parameter[] = [];
  readonly #callParameters: CallParameter[] = [];
  readonly #jumpTables = new Map<string, readonly string[]>();
  readonly #registers: ScalarType[] = [];
  readonly #registerNames: string[] = [];
  /** Innermost scope last. */
  readonly #scopes: Map<string, number>[] = [new Map()];
  /** `.param` variables of calls, which repeat their names: name -> unique name, innermost scope last. */
  readonly #callScopes: Map<string, string>[] = [new Map()];
  readonly #variables: Variable[] = [];
  readonly #statements: Statement[] = [];
  readonly #labels = new Map<string, number>();
  #requiredThreads: readonly number[] | undefined;

  constructor(reader: TokenReader, moduleVariables: readonly Variable[]) {
    this.#reader = reader;
    this.#moduleVariables = moduleVariables;
    this.#operands = new OperandParser(
      reader,
      (name) => this.#register(name),
      (name) => this.#symbol(name),
    );
  }

  kernel(): ParsedKernel {
    const reader = this.#reader;
    reader.expect(".entry");
    const { text: name, line, column } = reader.word("the name of a kernel");
    this.#parameters = this.#parameterList();
    this.#tuning();
    reader.expect("{");
    this.#body();
    return { name, line, column, ...this.#parsed(), requiredThreads: this.#requiredThreads };
  }

  /** A device function; without a body when it is only declared. */
  function(): ParsedFunction {
    const reader = this.#reader;
    reader.expect(".func");
    const results = this.#parameterList();
    const { text: name, line, column } = reader.word("the name of a function");
    this.#parameters = this.#parameterList();
    while (reader.current.kind === "dotted") reader.take();
    const defined = !reader.accept(";");
    if (defined) {
      reader.expect("{");
      this.#body();
    }
    return { name, line, column, ...this.#parsed(), results, defined };
  }

  #parsed(): ParsedBody {
    return {
      parameters: this.#parameters,
      registers: this.#registers,
      registerNames: this.#registerNames,
      variables: this.#variables,
      statements: this.#statements,
      labels: this.#labels,
      jumpTables: this.#jumpTables,
      callParameters: this.#callParameters,
    };
  }

  #symbol(name: string): string {
    for (let i = this.#callScopes.length - 1; i >= 0; i--) {
      const found = this.#callScopes[i]?.get(name);
      if (found !== undefined) return found;
    }
    return name;
  }

  #register(name: string): number | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i]?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #parameterList(): Parameter[] {
    const reader = this.#reader;
    const parameters: Parameter[] = [];
    if (!reader.accept("(") || reader.accept(")")) return parameters;
    let offset = 0;
    do {
      const parameter = this.#parameter(offset);
      if (parameters.some(({ name }) => name === parameter.name)) {
        fail("PTX_NAME", `${parameter.name} is declared twice`, reader.current);
      }
      offset = parameter.offset + parameter.size;
      if (parameters.push(parameter) > MAX_PARAMETERS || offset > MAX_PARAMETER_BYTES) {
        fail("PTX_LIMIT", `a kernel takes at most ${MAX_PARAMETERS} parameters of 4 KiB together`, reader.current);
      }
    } while (reader.accept(","));
    reader.expect(")");
    return parameters;
  }

  #parameter(start: number): Parameter {
    const reader = this.#reader;
    reader.expect(".param");
    let alignment = 1;
    let type: ScalarType | undefined;
    while (reader.current.kind === "dotted") {
      const word = reader.take().text;
      // `.ptr .global .align 16` tells the compiler about the target of a pointer; nothing here depends on it.
      if (word === ".ptr") this.#pointerAttributes();
      else if (word === ".align") alignment = this.#powerOfTwo();
      else if (isScalarType(word.slice(1))) type = word.slice(1) as ScalarType;
      else reader.unexpected("the type of a parameter");
    }
    const token = reader.word("the name of a parameter");
    if (type === undefined || type === "pred") return fail("PTX_SYNTAX", `${token.text} has no type`, token);
    let size = sizeOf(type);
    if (reader.accept("[")) {
      size *= reader.count("a parameter's length", MAX_PARAMETER_BYTES);
      reader.expect("]");
    }
    alignment = Math.max(alignment, sizeOf(type));
    const offset = Math.ceil(start / alignment) * alignment;
    return { name: token.text, type, size, alignment, offset };
  }

  #powerOfTwo(): number {
    const value = this.#reader.count("an alignment", 1_024);
    if (value < 1 || (value & (value - 1)) !== 0) this.#reader.unexpected("a power of two");
    return value;
  }

  #pointerAttributes(): void {
    const reader = this.#reader;
    while (reader.current.kind === "dotted") {
      if (reader.take().text === ".align") this.#powerOfTwo();
    }
  }

  #tuning(): void {
    const reader = this.#reader;
    while (Object.hasOwn(TUNING, reader.current.text)) {
      const name = reader.take().text;
      const values = [reader.count(name, 1 << 20)];
      while (values.length < (TUNING[name] as number) && reader.accept(",")) values.push(reader.count(name, 1 << 20));
      if (name === ".reqntid") this.#requiredThreads = values;
    }
  }

  #body(): void {
    const reader = this.#reader;
    for (let depth = 1; depth > 0; ) {
      if (reader.accept("{")) {
        if (++depth > MAX_SCOPES) fail("PTX_LIMIT", `scopes are nested deeper than ${MAX_SCOPES}`, reader.current);
        this.#scopes.push(new Map());
        this.#callScopes.push(new Map());
      } else if (reader.accept("}")) {
        depth--;
        this.#scopes.pop();
        this.#callScopes.pop();
      } else this.#item();
    }
  }

  #item(): void {
    const reader = this.#reader;
    const { current } = reader;
    if (current.text === ".loc") reader.skipLine();
    else if (current.text === ".reg") this.#registerDeclaration();
    else if (current.text === ".param") this.#callParameter();
    else if (SKIPPED.has(current.text)) reader.skipStatement();
    else if (startsVariable(reader)) this.#localVariables();
    else if (current.kind === "word" && reader.following.text === ":") this.#label();
    else this.#statement();
  }

  /** A place to pass a value to or from a function. */
  #callParameter(): void {
    const { current } = this.#reader;
    const { name, size } = this.#parameter(0);
    this.#reader.expect(";");
    const scope = this.#callScopes.at(-1);
    if (scope === undefined || scope.has(name)) fail("PTX_NAME", `${name} is declared twice`, current);
    const unique = `${name}'${this.#callParameters.length}`;
    scope.set(name, unique);
    if (this.#callParameters.push({ name: unique, size }) > MAX_INSTRUCTIONS) {
      fail("PTX_LIMIT", "too many parameters of calls", current);
    }
  }

  #localVariables(): void {
    for (const variable of parseVariables(this.#reader, false)) {
      if ([...this.#variables, ...this.#moduleVariables].some(({ name }) => name === variable.name)) {
        fail("PTX_NAME", `${variable.name} is declared twice`, variable);
      }
      if (this.#variables.push(variable) > MAX_VARIABLES) fail("PTX_LIMIT", "too many variables", variable);
    }
  }

  #label(): void {
    const token = this.#reader.take();
    this.#reader.expect(":");
    if (this.#labels.has(token.text) || this.#jumpTables.has(token.text)) {
      fail("PTX_NAME", `label ${token.text} is declared twice`, token);
    }
    if (this.#reader.accept(".branchtargets")) this.#jumpTables.set(token.text, this.#jumpTable());
    else this.#labels.set(token.text, this.#statements.length);
  }

  #jumpTable(): readonly string[] {
    const targets: string[] = [];
    do targets.push(this.#reader.word("a label").text);
    while (this.#reader.accept(",") && targets.length <= MAX_JUMP_TARGETS);
    if (targets.length > MAX_JUMP_TARGETS) {
      fail("PTX_LIMIT", `a jump table has more than ${MAX_JUMP_TARGETS} targets`, this.#reader.current);
    }
    this.#reader.expect(";");
    return targets;
  }

  #registerDeclaration(): void {
    const reader = this.#reader;
    reader.expect(".reg");
    const typeToken = reader.take();
    const type = typeToken.text.slice(1);
    if (typeToken.kind !== "dotted" || !isScalarType(type)) {
      fail("PTX_UNSUPPORTED", `registers of type ${typeToken.text} are not supported`, typeToken);
    }
    do {
      const name = reader.word("the name of a register");
      if (reader.accept("<")) {
        const count = reader.count("the number of registers", MAX_REGISTERS);
        reader.expect(">");
        for (let i = 0; i < count; i++) this.#declare(`${name.text}${i}`, type, name);
      } else this.#declare(name.text, type, name);
    } while (reader.accept(","));
    reader.expect(";");
  }

  #declare(name: string, type: ScalarType, place: Place): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined || scope.has(name)) fail("PTX_NAME", `register ${name} is declared twice`, place);
    scope.set(name, this.#registers.length);
    this.#registerNames.push(name);
    if (this.#registers.push(type) > MAX_REGISTERS) fail("PTX_LIMIT", `more than ${MAX_REGISTERS} registers`, place);
  }

  #statement(): void {
    const reader = this.#reader;
    const guard = this.#guard();
    const { text: opcode, line, column } = reader.word("an instruction");
    const modifiers: string[] = [];
    while (reader.current.kind === "dotted") modifiers.push(reader.take().text.slice(1));
    const operands: Operand[] = [];
    const call = opcode === "call" ? this.#call() : undefined;
    if (call === undefined && !reader.at(";")) {
      do operands.push(this.#operands.operand());
      while (reader.accept(",") && operands.length < 16);
    }
    reader.expect(";");
    this.#statements.push({
      opcode,
      modifiers,
      operands,
      guard,
      line,
      column,
      ...(call === undefined ? {} : { call }),
    });
    if (this.#statements.length > MAX_INSTRUCTIONS) {
      fail("PTX_LIMIT", `a kernel has at most ${MAX_INSTRUCTIONS} instructions`, { line, column });
    }
  }

  /** `(results), name, (arguments)`, of which only the name must be there. */
  #call(): CallSyntax {
    const reader = this.#reader;
    const results = this.#callList();
    if (reader.at(",")) reader.take();
    const token = reader.word("the name of a function");
    const target = this.#register(token.text) === undefined ? token.text : undefined;
    const values = reader.accept(",") ? this.#callList() : [];
    // The prototype or the list of targets of a call through a pointer.
    if (reader.accept(",")) reader.word("a prototype");
    return { results, target, arguments: values };
  }

  #callList(): readonly Operand[] {
    const reader = this.#reader;
    const items: Operand[] = [];
    if (!reader.accept("(") || reader.accept(")")) return items;
    do items.push(this.#operands.operand());
    while (reader.accept(",") && items.length < MAX_PARAMETERS);
    reader.expect(")");
    return items;
  }

  #guard(): Guard | undefined {
    const reader = this.#reader;
    if (!reader.accept("@")) return undefined;
    const negated = reader.accept("!");
    const token = reader.word("a predicate");
    const register = this.#register(token.text);
    if (register === undefined) return fail("PTX_NAME", `register ${token.text} is not declared`, token);
    if (this.#registers[register] !== "pred") fail("PTX_TYPE", `${token.text} is not a predicate`, token);
    return { register, negated };
  }
}
