import { LAYERS, type Layer, layerOf, OUTSIDE, OWNED_PACKAGES, PURE_PACKAGES } from "../layers.ts";
import type { Finding, Import, SourceFile, SourceTree } from "../source-tree.ts";

/** Imports go where the layer table allows, and nowhere else. */
export function importDirection({ sources }: SourceTree): readonly Finding[] {
  return sources.flatMap((file) => {
    const layer = layerOf(file.path);
    if (layer === undefined) {
      const folders = LAYERS.map(({ folder }) => folder).join(", ");
      return [{ path: file.path, message: `belongs to no layer: move it into one of ${folders}` }];
    }
    return file.imports.flatMap((imported) => judge(file, layer, imported));
  });
}

function judge(file: SourceFile, layer: Layer, { target, specifier, line }: Import): readonly Finding[] {
  if (target === undefined || layer.mayImport === "anything") return [];
  // package.json is data about the whole, not part of a layer.
  if (target === "package.json") return [];
  const other = layerOf(target)?.folder ?? target;
  if (other === layer.folder || layer.mayImport.includes(other)) return [];
  const reason = OUTSIDE.includes(other)
    ? `nobody imports ${other}: move what is shared into the product`
    : `${layer.folder} may import ${layer.mayImport.join(", ") || "no other layer"}: turn the dependency round, or pass it in`;
  return [{ path: file.path, line, message: `imports ${specifier} of layer ${other}, but ${reason}` }];
}

/** Pure folders use packages that are known to do no I/O. */
export function purePackages({ sources }: SourceTree): readonly Finding[] {
  return sources
    .filter(({ path }) => layerOf(path)?.pure)
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target, specifier }) => target === undefined && !isPurePackage(specifier))
        .map(({ specifier, line }) => ({
          path,
          line,
          message: `imports ${specifier}, but this folder is pure: put I/O behind a port, or, if the package does none, add it to PURE_PACKAGES in test/tidy/layers.ts`,
        })),
    );
}

function isPurePackage(specifier: string): boolean {
  return PURE_PACKAGES.some((name) => isPackage(name, specifier));
}

/** Product code leaves a package to the folder that owns it. */
export function ownedPackages({ sources }: SourceTree): readonly Finding[] {
  return sources
    .filter(({ path }) => !OUTSIDE.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ target, specifier, line }) => {
        const owner = OWNED_PACKAGES.find(({ packages }) => packages.some((name) => isPackage(name, specifier)));
        if (target !== undefined || owner === undefined || path.startsWith(`${owner.folder}/`)) return [];
        return [
          { path, line, message: `imports ${specifier}, which only ${owner.folder} knows: ask that folder for it` },
        ];
      }),
    );
}

function isPackage(name: string, specifier: string): boolean {
  if (name.endsWith("*")) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}
