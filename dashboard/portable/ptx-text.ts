/** Stands in for compute/kernels/ptx-text.ts in the browser, which has no files: the texts are part of the script. */
const TEXTS = import.meta.glob<string>("../../compute/kernels/**/*.ptx", {
  query: "?raw",
  import: "default",
  eager: true,
});

export function ptxText(path: string): string {
  const text = TEXTS[`../../compute/kernels/${path}.ptx`];
  if (text === undefined) throw new Error(`there is no PTX of ${path}`);
  return text;
}
