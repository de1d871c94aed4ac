/** Parses the operands of instructions. */
import { fail } from "./errors.ts";
import { parseNumber } from "./literals.ts";
import type { Operand } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";

export class OperandParser {
  readonly #reader: TokenReader;
  readonly #register: (name: string) => number | undefined;
  readonly #symbol: (name: string) => string;

  constructor(reader: TokenReader, register: (name: string) => number | undefined, symbol: (name: string) => string) {
    this.#reader = reader;
    this.#register = register;
    this.#symbol = symbol;
  }

  operand(): Operand {
    const reader = this.#reader;
    if (reader.at("{")) return this.#vector();
    if (reader.at("[")) return this.#address();
    if (reader.accept("!")) {
      const token = reader.current;
      const operand = this.#simple();
      if (operand.kind !== "register") return fail("PTX_SYNTAX", "only a predicate can be inverted", token);
      return { kind: "negated", id: operand.id };
    }
    const first = this.#simple();
    return reader.accept("|") ? { kind: "pair", first, second: this.#simple() } : first;
  }

  #vector(): Operand {
    const reader = this.#reader;
    reader.expect("{");
    const items: Operand[] = [];
    do items.push(this.#simple());
    while (reader.accept(",") && items.length < 8);
    reader.expect("}");
    return { kind: "vector", items };
  }

  #address(): Operand {
    const reader = this.#reader;
    reader.expect("[");
    const start = reader.current;
    const first = this.#simple();
    const offset = this.#offset();
    reader.expect("]");
    if (first.kind === "integer") return { kind: "address", base: undefined, offset: first.value + offset };
    if (first.kind === "symbol") {
      return { kind: "address", base: { ...first, offset: 0n }, offset: first.offset + offset };
    }
    if (first.kind !== "register") return fail("PTX_SYNTAX", "this is not an address", start);
    return { kind: "address", base: first, offset };
  }

  /** `+4`, `+-4` or `-4`. */
  #offset(): bigint {
    const reader = this.#reader;
    if (!reader.at("+") && !reader.at("-")) return 0n;
    let negative = reader.take().text === "-";
    if (reader.accept("-")) negative = !negative;
    const token = reader.current;
    if (token.kind !== "number") reader.unexpected("an offset");
    const value = parseNumber(reader.take().text, negative, token);
    if (value.kind !== "integer") return fail("PTX_SYNTAX", "an offset is a whole number", token);
    return value.value;
  }

  #simple(): Operand {
    const reader = this.#reader;
    const negative = reader.accept("-");
    const token = reader.current;
    if (token.kind === "number") return parseNumber(reader.take().text, negative, token);
    if (negative || token.kind !== "word") reader.unexpected("an operand");
    reader.take();
    if (token.text === "_") return { kind: "sink" };
    const id = this.#register(token.text);
    if (id !== undefined) return { kind: "register", id };
    if (token.text.startsWith("%")) return this.#special(token.text);
    return { kind: "symbol", name: this.#symbol(token.text), offset: reader.at("+") ? this.#offset() : 0n };
  }

  #special(name: string): Operand {
    const reader = this.#reader;
    const part = reader.current.kind === "dotted" ? reader.take().text : "";
    return { kind: "special", name: `${name}${part}` };
  }
}
