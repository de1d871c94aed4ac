/** Steps through tokens for the parser. */
import { fail } from "./errors.ts";
import type { Token } from "./lexer.ts";

export class TokenReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#position] as Token;
  }

  /** The token after the current one; the end repeats. */
  get following(): Token {
    return this.#tokens[Math.min(this.#position + 1, this.#tokens.length - 1)] as Token;
  }

  take(): Token {
    const token = this.current;
    if (token.kind !== "end") this.#position++;
    return token;
  }

  at(text: string): boolean {
    return this.current.text === text && this.current.kind !== "string";
  }

  accept(text: string): boolean {
    if (!this.at(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): Token {
    if (!this.at(text)) this.unexpected(JSON.stringify(text));
    return this.take();
  }

  word(what: string): Token {
    if (this.current.kind !== "word") this.unexpected(what);
    return this.take();
  }

  /** A whole number from 0 to `maximum`. */
  count(what: string, maximum: number): number {
    const token = this.current;
    if (token.kind !== "number" || !/^(?:0[xX][0-9a-fA-F]+|[0-9]+)U?$/.test(token.text)) this.unexpected(what);
    this.take();
    const value = Number(token.text.replace("U", ""));
    if (value > maximum) fail("PTX_LIMIT", `${what} is ${token.text}, more than ${maximum}`, token);
    return value;
  }

  unexpected(wanted: string): never {
    const found = this.current.kind === "end" ? "the end of the text" : JSON.stringify(this.current.text);
    return fail("PTX_SYNTAX", `expected ${wanted}, found ${found}`, this.current);
  }

  /** Skips to the end of the current line. */
  skipLine(): void {
    const { line } = this.current;
    while (this.current.kind !== "end" && this.current.line === line) this.take();
  }

  /** Skips to the semicolon that ends the statement. */
  skipToEnd(): void {
    while (!this.at(";")) if (this.take().kind === "end") this.unexpected('";"');
  }

  skipStatement(): void {
    this.skipToEnd();
    this.expect(";");
  }

  /** Skips over a balanced `{ ... }` that starts at the current token. */
  skipBraces(): void {
    this.expect("{");
    for (let depth = 1; depth > 0; ) {
      const token = this.take();
      if (token.kind === "end") this.unexpected('"}"');
      if (token.text === "{") depth++;
      if (token.text === "}") depth--;
    }
  }
}
