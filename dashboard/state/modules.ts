/** The native modules of the typed client, by their names and addresses. */
import type { Abi } from "viem";
import { type OgpuModules, ogpuModules } from "../../rpc/client/modules.ts";

export const market: OgpuModules["market"] = ogpuModules.market;
export const providers: OgpuModules["providers"] = ogpuModules.providers;
export const pricing: OgpuModules["pricing"] = ogpuModules.pricing;

export interface KnownModule {
  readonly name: string;
  readonly address: `0x${string}`;
  readonly abi: Abi;
}

export const modules: readonly KnownModule[] = Object.entries(ogpuModules).map(([name, { address, abi }]) => ({
  name,
  address,
  abi: abi as Abi,
}));

const byName = new Map(modules.map((module) => [module.name, module]));
const byAddress = new Map(modules.map((module) => [module.address as string, module]));

export function moduleAt(address: string): KnownModule | undefined {
  return byAddress.get(address.toLowerCase());
}

export function moduleNamed(name: string): KnownModule {
  const module = byName.get(name);
  if (module === undefined) throw new Error(`there is no module ${name}`);
  return module;
}
