import { readFile } from "node:fs/promises";

/** The PTX of one of the tests' kernels; from `dist` it lies one folder further up. */
export async function testKernel(name: string): Promise<string> {
  const file = `test/compute/ptx/kernels/${name}.ptx`;
  for (const path of [`../${file}`, `../../${file}`]) {
    try {
      return await readFile(new URL(path, import.meta.url), "utf8");
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "ENOENT") throw error;
    }
  }
  throw new Error(`the kernel ${name} of this benchmark is not there`);
}
