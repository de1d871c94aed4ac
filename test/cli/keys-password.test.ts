import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { PasswordReader } from "../../cli/commands/keys-password.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-password-"));
  folders.push(folder);
  const path = join(folder, "password.txt");
  writeFileSync(path, text);
  return path;
}

/** A person at a terminal, who types this. */
function typing(text: string): {
  readonly reader: PasswordReader;
  readonly shown: () => string;
  readonly modes: boolean[];
} {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  input.write(text);
  let shown = "";
  const ask = (question: string): void => {
    shown += question;
  };
  return { reader: new PasswordReader({ input, ask }), shown: () => shown, modes };
}

function piped(text: string): PasswordReader {
  const input = new PassThrough();
  input.end(text);
  return new PasswordReader({ input, ask: (question) => expect.unreachable(question) });
}

describe("a password", () => {
  it("is the first line of its file, with the spaces that it has", async () => {
    const { reader } = typing("");
    expect(await reader.read("?", fileWith("correct horse \nrest\n"))).toBe("correct horse ");
    expect(await reader.readNew("?", fileWith("windows\r\n"))).toBe("windows");
  });

  it("is a line of standard input when that is no terminal, and the next one the next line", async () => {
    const reader = piped("first\nsecond\n");
    expect(await reader.read("?", undefined)).toBe("first");
    expect(await reader.readNew("?", undefined)).toBe("second");
    await expect(reader.read("?", undefined)).rejects.toMatchObject({ code: "PASSWORD_MISSING" });
    reader.close();
  });

  it("is asked for at a terminal without showing it, and leaves the terminal as it was", async () => {
    const { reader, shown, modes } = typing("geheim🔑\r");
    expect(await reader.read("Password: ", undefined)).toBe("geheim🔑");
    expect(shown()).toBe("Password: \n");
    expect(modes).toEqual([true, false]);
  });

  it("can be corrected while it is typed", async () => {
    const { reader } = typing("ab🔑\u007fc\u0001\u007f\u007fd\r");
    expect(await reader.read("?", undefined)).toBe("ad");
  });

  it("that is new is asked for twice", async () => {
    expect(await typing("same\rsame\r").reader.readNew("?", undefined)).toBe("same");
    await expect(typing("same\rsome\r").reader.readNew("?", undefined)).rejects.toMatchObject({
      code: "PASSWORD_MISMATCH",
    });
  });

  it("can be refused, which also leaves the terminal as it was", async () => {
    const { reader, modes } = typing("half\u0003");
    await expect(reader.read("?", undefined)).rejects.toMatchObject({ code: "PASSWORD_INTERRUPTED" });
    expect(modes).toEqual([true, false]);
  });

  it("is never empty", async () => {
    await expect(typing("\r").reader.read("?", undefined)).rejects.toMatchObject({ code: "PASSWORD_MISSING" });
    await expect(typing("").reader.read("?", fileWith(""))).rejects.toMatchObject({ code: "PASSWORD_MISSING" });
  });
});
