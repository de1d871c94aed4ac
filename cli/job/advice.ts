/** Which providers would do a job best: what their settled jobs say about their speed, and how near they are. */
import { type Abi, type Address, decodeEventLog, encodeEventTopics, type Hex } from "viem";
import { baseUrl } from "../../compute/agent/blobs/fetch-blob.ts";
import { type Advice, advise, type Candidate, type Wanted } from "../../compute/agent/router/advise.ts";
import { measured, NO_ROUND_TRIPS, type RoundTrips } from "../../compute/agent/router/proximity.ts";
import { firstModel, learn, type SpeedModel } from "../../compute/agent/router/speed-model.ts";
import type { Web } from "../../compute/agent/web.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";
import { agentWeb } from "../agent/agent-web.ts";
import { connectRpc, type RpcLink } from "../agent/rpc-link.ts";
import { callRpc } from "../json-rpc-client.ts";

/** Devices of the tier that are looked at, and providers that are asked. */
const MAX_DEVICES = 100n;
const MAX_PROVIDERS = 16;
/** Blocks back in which settled jobs are looked for. */
const LOG_BLOCKS = 5_000n;
const PINGS = 2;
const PING_MILLISECONDS = 1_000;
/** Units in a second of somebody of whom nothing is known. */
const UNKNOWN_SPEED = 1e8;

interface Log {
  readonly data: Hex;
  readonly topics: [Hex, ...Hex[]];
}

/** The best first; none where the node cannot say. */
export async function adviceOn(
  rpc: string,
  wanted: Wanted,
  most: number,
  allowInternal: boolean,
): Promise<readonly Advice[]> {
  const link = connectRpc(rpc);
  const web = agentWeb(link, allowInternal);
  const args = [wanted.tier, 0n, MAX_DEVICES] as const;
  const devices = await link.readModule({ module: "providers", functionName: "devicesOfTier", args });
  const free = devices.filter(({ available }) => available);
  const providers = [...new Set(free.map(({ provider }) => provider))].slice(0, MAX_PROVIDERS);
  const candidates = await Promise.all(
    providers.map(async (provider): Promise<Candidate> => {
      const own = free.filter((device) => device.provider === provider);
      const best = own.reduce((a, b) => (b.memoryBytes > a.memoryBytes ? b : a));
      const { endpoint } = await link.readModule({ module: "providers", functionName: "providerOf", args: [provider] });
      const past = await link.readModule({ module: "providers", functionName: "reputationOf", args: [provider] });
      return {
        ...{ provider, tier: wanted.tier, capabilities: best.capabilities, memoryBytes: best.memoryBytes },
        ...{
          model: await modelOf(rpc, provider),
          roundTrips: await ping(endpoint, web),
          load: await loadOf(link, provider),
        },
        ...{ accepted: Number(past.accepted), failed: Number(past.rejected + past.late) },
      };
    }),
  );
  return advise(candidates, wanted, most);
}

/** From every job of the provider that was verified lately. */
async function modelOf(rpc: string, provider: Address): Promise<SpeedModel> {
  const { abi, address } = ogpuModules.providers;
  const head = BigInt(await callRpc<Hex>(rpc, "eth_blockNumber", []));
  const fromBlock = head > LOG_BLOCKS ? head - LOG_BLOCKS : 0n;
  const topics = encodeEventTopics({ abi: abi as Abi, eventName: "Settled", args: { provider, outcome: 1 } });
  const filter = { address, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: "latest" };
  const logs = await callRpc<readonly Log[]>(rpc, "eth_getLogs", [filter]);
  return logs.reduce((model, { data, topics: found }) => {
    const { args } = decodeEventLog({ abi: abi as Abi, data, topics: found });
    const { computeUnits, busySeconds } = args as unknown as { computeUnits: bigint; busySeconds: bigint };
    return learn(model, { units: Number(computeUnits), seconds: Number(busySeconds) });
  }, firstModel(UNKNOWN_SPEED));
}

/** Devices that race for something now. */
async function loadOf(link: RpcLink, provider: Address): Promise<number> {
  const args = [provider, 0n, MAX_DEVICES] as const;
  const members = await link.readModule({ module: "market", functionName: "membershipsOf", args });
  return new Set(members.filter(({ job }) => job !== 0n).map(({ job }) => job)).size;
}

/** Any answer is one: what is asked for is not there. */
async function ping(endpoint: string, web: Web): Promise<RoundTrips> {
  let trips = NO_ROUND_TRIPS;
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    let milliseconds: number | undefined;
    try {
      const url = `${baseUrl(endpoint)}/blobs/0x${"0".repeat(64)}`;
      await web(url, { method: "HEAD", signal: AbortSignal.timeout(PING_MILLISECONDS) });
      milliseconds = performance.now() - start;
    } catch (error) {
      // Nobody there, or no web address: too far away for anything.
      if (!(error instanceof Error)) throw error;
    }
    trips = measured(trips, milliseconds);
  }
  return trips;
}
