/** What Vite makes of these imports. */
declare module "*?worker&url" {
  const url: string;
  export default url;
}

interface ImportMeta {
  glob<Value>(
    pattern: string,
    options: { readonly query: string; readonly import: string; readonly eager: true },
  ): Readonly<Record<string, Value>>;
}

declare module "*.svg" {
  const url: string;
  export default url;
}

declare module "*.css";

/** Of compute/kernels/ptx-text.ts, which dashboard/portable stands in for: the build refuses whatever only Node has. */
declare module "node:fs" {
  export function existsSync(place: URL): boolean;
  export function readFileSync(place: URL, encoding: "utf8"): string;
}
