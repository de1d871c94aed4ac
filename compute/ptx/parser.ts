/**
 * Parses PTX modules as nvcc, clang and hand-written inline assembly make them (PTX ISA 9.0). What a module holds
 * besides kernels, functions and variables is skipped: debug sections and hints.
 */
import { fail } from "./errors.ts";
import { KernelParser } from "./kernel-parser.ts";
import { lex } from "./lexer.ts";
import { MAX_CONSTANT_BYTES, MAX_FUNCTIONS, MAX_VARIABLES } from "./limits.ts";
import type { ParsedFunction, ParsedKernel, ParsedModule, Variable } from "./syntax.ts";
import { TokenReader } from "./token-reader.ts";
import { parseVariables } from "./variable-parser.ts";

const LINKING: ReadonlySet<string> = new Set([".visible", ".extern", ".weak", ".common"]);
/** Directives that take the rest of their line. */
const LINES: ReadonlySet<string> = new Set([".file", ".loc"]);

export function parsePtx(text: string): ParsedModule {
  return new ModuleParser(new TokenReader(lex(text))).module();
}

class ModuleParser {
  readonly #reader: TokenReader;
  readonly #kernels: ParsedKernel[] = [];
  readonly #variables: Variable[] = [];
  readonly #functions = new Map<string, ParsedFunction>();
  #version = "";
  #target = "";

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  module(): ParsedModule {
    const reader = this.#reader;
    this.#header();
    while (reader.current.kind !== "end") this.#item();
    this.#checkNames();
    const [version, target, kernels] = [this.#version, this.#target, this.#kernels];
    return { version, target, kernels, functions: this.#functions, variables: this.#variables };
  }

  #header(): void {
    const reader = this.#reader;
    reader.expect(".version");
    this.#version = reader.take().text;
    reader.expect(".target");
    this.#target = reader.word("a target such as sm_75").text;
    while (reader.accept(",")) reader.take();
    if (reader.accept(".address_size") && reader.count("the address size", 64) !== 64) {
      fail("PTX_UNSUPPORTED", "only 64-bit addresses are supported", reader.current);
    }
  }

  #item(): void {
    const reader = this.#reader;
    let external = false;
    while (LINKING.has(reader.current.text)) external = reader.take().text === ".extern" || external;
    const { text } = reader.current;
    if (text === ".entry") this.#kernels.push(new KernelParser(reader, this.#variables).kernel());
    else if (text === ".func") this.#function();
    else if (text === ".section") this.#section();
    else if (text === ".pragma") reader.skipStatement();
    else if (LINES.has(text)) reader.skipLine();
    else this.#variables.push(...parseVariables(reader, external));
    if (this.#variables.length > MAX_VARIABLES) fail("PTX_LIMIT", "too many variables", reader.current);
  }

  #section(): void {
    while (!this.#reader.at("{")) {
      if (this.#reader.take().kind === "end") this.#reader.unexpected('"{"');
    }
    this.#reader.skipBraces();
  }

  /** A function may be declared any number of times, and defined once. */
  #function(): void {
    const parsed = new KernelParser(this.#reader, this.#variables).function();
    const known = this.#functions.get(parsed.name);
    if (known?.defined === true && parsed.defined) fail("PTX_NAME", `${parsed.name} is declared twice`, parsed);
    if (known?.defined !== true) this.#functions.set(parsed.name, parsed);
    if (this.#functions.size > MAX_FUNCTIONS) fail("PTX_LIMIT", "too many functions", parsed);
  }

  #checkNames(): void {
    const seen = new Set<string>();
    for (const item of [...this.#variables, ...this.#kernels, ...this.#functions.values()]) {
      if (seen.has(item.name)) fail("PTX_NAME", `${item.name} is declared twice`, item);
      seen.add(item.name);
    }
    const bytes = this.#variables.reduce((sum, { space, size }) => (space === "shared" ? sum : sum + size), 0);
    if (bytes > MAX_CONSTANT_BYTES) {
      const message = `module variables take ${bytes} bytes, more than ${MAX_CONSTANT_BYTES}`;
      fail("PTX_LIMIT", message, this.#variables[0] ?? this.#reader.current);
    }
  }
}
