/** Puts a provider and its device on the chain as they are now: only what is missing or has changed is sent. */
import { type Abi, decodeEventLog, type Hex } from "viem";
import { CodedError } from "../../base/errors.ts";
import type { DeviceDescription } from "../../compute/agent/provider/describe-device.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";
import { requireDone } from "./module-sender.ts";
import type { NodeChain } from "./node-chain.ts";

export interface ProviderTerms {
  readonly name: string;
  /** Where others reach it. */
  readonly endpoint: string;
  /** Wei that it registers with, if it is not registered. */
  readonly collateral: bigint | undefined;
  /** Ends a pause, which was not its operator's. */
  readonly resumes: boolean;
}

/** As the module numbers them. */
const STATES = ["none", "active", "paused", "leaving"] as const;

export interface Registration {
  readonly state: "active" | "paused" | "leaving";
  /** Where others think that it is. */
  readonly endpoint: string;
}

/**
 * Whoever leaves still serves what it has taken on, but can change nothing any more. Throws PROVIDER_UNKNOWN, and what the
 * chain refuses.
 */
export async function registerProvider(chain: NodeChain, terms: ProviderTerms): Promise<Registration> {
  const { account, link, transactions } = chain;
  const { name, endpoint, collateral } = terms;
  const module = "providers";
  const found = await link.readModule({ module, functionName: "providerOf", args: [account] });
  const state = STATES[found.status] ?? "none";
  if (state === "none") {
    if (collateral === undefined) {
      throw new CodedError("PROVIDER_UNKNOWN", `${account} is not registered as a provider`, {
        hint: "Register it with --collateral <oGPU>: what it loses when it delivers false results.",
      });
    }
    await requireDone(transactions, { module, name: "register", args: [name, endpoint] }, collateral);
    return { state: "active", endpoint };
  }
  if (state === "leaving") return { state, endpoint: found.endpoint };
  if (found.name !== name || found.endpoint !== endpoint) {
    await requireDone(transactions, { module, name: "describe", args: [name, endpoint] });
  }
  if (state === "active" || !terms.resumes) return { state, endpoint };
  await requireDone(transactions, { module, name: "resume", args: [] });
  return { state: "active", endpoint };
}

export interface KnownDevice {
  readonly id: bigint;
  readonly tier: number;
  readonly region: Hex;
}

/** The provider's device of this kind in this region, if one is registered. */
export async function knownDevice(chain: NodeChain, kind: number, region: Hex): Promise<KnownDevice | undefined> {
  const args = [chain.account, 0n, 100n] as const;
  const devices = await chain.link.readModule({ module: "providers", functionName: "devicesOf", args });
  return devices.find((device) => device.kind === kind && device.region === region);
}

export async function addDevice(chain: NodeChain, description: DeviceDescription): Promise<KnownDevice> {
  const { kind, memoryBytes, tier, region, capabilities, benchmark } = description;
  const args = [kind, memoryBytes, tier, region, capabilities, benchmark];
  const { logs } = await requireDone(chain.transactions, { module: "providers", name: "addDevice", args });
  const { address, abi } = ogpuModules.providers;
  for (const log of logs) {
    if (log.address.toLowerCase() !== address) continue;
    const { eventName, args: values } = decodeEventLog({
      abi: abi as Abi,
      data: log.data,
      topics: log.topics as [Hex, ...Hex[]],
    });
    if (eventName === "DeviceAdded") return { id: (values as unknown as { id: bigint }).id, tier, region };
  }
  throw new CodedError("CHAIN_UNEXPECTED", "the chain did not say which number the device got");
}
