/**
 * How long work of a size takes on devices of a tier, by what their providers' verified jobs took. The median of providers
 * that are available: one very fast or very slow provider says little about who will be drawn.
 */
import { providersAbi } from "../../vm/interfaces/abi/providers.ts";
import { PROVIDERS_ADDRESS } from "../../vm/modules/addresses.ts";
import { MAX_PAGE } from "../../vm/modules/page.ts";
import type { ModuleViews } from "./module-views.ts";

export interface ExpectedTime {
  /** Devices of the tier, available or not. */
  readonly devices: bigint;
  /** Undefined when none of their providers has done any work yet. */
  readonly seconds: bigint | undefined;
}

export function expectedTime(views: ModuleViews, tier: number, computeUnits: bigint): ExpectedTime {
  const devices = views.read(PROVIDERS_ADDRESS, providersAbi, "deviceCountOfTier", [tier]);
  const page = views.read(PROVIDERS_ADDRESS, providersAbi, "devicesOfTier", [tier, 0n, MAX_PAGE]);
  const providers = [...new Set(page.map(({ provider }) => provider))];
  const rates = providers
    .flatMap((provider) => {
      const { computeUnits: done, busySeconds } = views.read(PROVIDERS_ADDRESS, providersAbi, "reputationOf", [
        provider,
      ]);
      return busySeconds === 0n || done === 0n ? [] : [done / busySeconds + 1n];
    })
    .sort((a, b) => (a < b ? -1 : 1));
  const median = rates[Math.floor((rates.length - 1) / 2)];
  return { devices, seconds: median === undefined ? undefined : (computeUnits + median - 1n) / median };
}
