import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Checkout, makeCheckout } from "./checkout.ts";

let checkout: Checkout | undefined;
afterEach(() => checkout?.remove());

/** With sources of both addons, of which nothing compiles. */
function begin(): Checkout {
  checkout = makeCheckout(true);
  checkout.write("compute/native/addon.cc", "this is not C++\n");
  checkout.write("compute/kernels/gemm.cu", "");
  checkout.write("chain/senders/native/addon.cc", "nor is this\n");
  return checkout;
}

describe("set-up goes on without the native addons, and says once what that means,", () => {
  it("where there is no C++ compiler", async () => {
    const { setUp } = begin();
    const { code, output } = await setUp();
    expect(code).toBe(0);
    expect(output).toContain("no compute addon, there is no C++ compiler: kernels run in WebAssembly");
    expect(output).toContain("no addon for signatures, there is no C++ compiler: signatures of known senders take");
    expect(await setUp(["--quiet"])).toEqual({ code: 0, output: "" });
  });

  it("where the compiler fails, and tries again when the sources change", async () => {
    const { setUp, write, folder } = begin();
    const env = { CXX: "/bin/false" };
    const { code, output } = await setUp([], env);
    expect(code).toBe(0);
    expect(output).toContain("no compute addon, /bin/false does not compile it");
    expect(output).toContain("no addon for signatures, /bin/false does not compile it");
    expect(existsSync(join(folder, "build/native/opengpu.node"))).toBe(false);
    expect(await setUp(["--quiet"], env)).toEqual({ code: 0, output: "" });
    write("compute/native/addon.cc", "this is still not C++\n");
    expect((await setUp(["--quiet"], env)).output).toContain("does not compile it");
  });
});
