import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scan } from "./scan.ts";

describe("scan", () => {
  it("tells comments from code", () => {
    const { code, comments } = scan("one(); // two()\n/* three()\nfour() */ five();");
    expect(code).toBe("one();         \n          \n          five();");
    expect(comments).toBe("       // two()\n/* three()\nfour() */        ");
  });

  it("does not see a comment inside a string", () => {
    expect(scan(`const a = "// no"; b();`).code).toBe(`const a =        ; b();`);
    expect(scan(`const a = "\\"// no"; b();`).code).toContain("b();");
  });

  it("sees the code in a template's expressions, however deep, and not its text", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a sample
    const { code } = scan("a(`text // ${b({ c: `inner ${d()}` })} more`); e();");
    for (const call of ["a(", "b({", "d()", "e();"]) expect(code).toContain(call);
    for (const word of ["text", "inner", "more", "//"]) expect(code).not.toContain(word);
  });

  it("takes a quote in a regular expression for no string", () => {
    expect(scan(`x.replace(/["'/*]/g, ""); b();`).code).toContain("b();");
    expect(scan("const half = a / b; c(); // d / e").code).toContain("c();");
  });

  it("keeps every character's place", () => {
    const piece = fc.constantFrom('"', "'", "`", "${", "}", "{", "//", "/*", "*/", "/", "\\", "\n", "a", "(");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const { code, comments, withoutComments } = scan(text);
        for (const kept of [code, comments, withoutComments]) {
          expect(kept.length).toBe(text.length);
          for (let i = 0; i < text.length; i++) if (kept[i] !== " ") expect(kept[i]).toBe(text[i]);
        }
      }),
    );
  });
});
