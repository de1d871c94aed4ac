/** What `ogpu node` and `ogpu validator` take. */
import { NEAR_BLOCKS } from "../../chain/sync/limits.ts";
import type { FlagOption, IntegerOption, ListOption, OptionValues, StringOption } from "../command.ts";
import { DEFAULT_P2P_PORT, DEFAULT_RPC_HOST, DEFAULT_RPC_PORT } from "../defaults.ts";

type WithDefault<Spec, Value> = Spec & { readonly default: Value };

type NodeOptionSpecs = {
  readonly network: StringOption;
  readonly spec: StringOption;
  readonly dataDir: WithDefault<StringOption, string>;
  readonly rpcPort: WithDefault<IntegerOption, number>;
  readonly rpcHost: WithDefault<StringOption, string>;
  readonly noRpc: FlagOption;
  readonly rpcCors: ListOption;
  readonly rpcHosts: ListOption;
  readonly rpcMethods: ListOption;
  readonly rpcLimit: ListOption;
  readonly blobSpace: WithDefault<IntegerOption, number>;
  readonly p2pPort: IntegerOption;
  readonly listen: ListOption;
  readonly announce: ListOption;
  readonly bootstrap: ListOption;
  readonly persistentPeer: ListOption;
  readonly mdns: FlagOption;
  readonly archive: FlagOption;
  readonly fromGenesis: FlagOption;
  readonly nearBlocks: WithDefault<IntegerOption, number>;
  readonly checkpoint: StringOption;
  readonly trustBlock: StringOption;
  readonly logLevel: WithDefault<StringOption, string>;
  readonly logJson: FlagOption;
  readonly cache: WithDefault<IntegerOption, number>;
  readonly stopWithInput: FlagOption;
};

export const nodeOptions: NodeOptionSpecs = {
  network: {
    type: "string",
    placeholder: "name",
    description: "the network to join",
    choices: ["devnet", "testnet", "mainnet"],
    env: "OGPU_NETWORK",
  },
  spec: { type: "string", placeholder: "file", description: "the chain spec of another network, instead of --network" },
  dataDir: {
    type: "string",
    placeholder: "folder",
    description: "where the node keeps its chain, its log and its key",
    default: "./data/node",
    env: "OGPU_DATA_DIR",
  },
  rpcPort: {
    type: "integer",
    placeholder: "port",
    description: "for JSON-RPC, /health, /ready and /metrics; 0 takes any",
    default: DEFAULT_RPC_PORT,
    max: 65_535,
  },
  rpcHost: {
    type: "string",
    placeholder: "address",
    description: "the address that the RPC listens on",
    default: DEFAULT_RPC_HOST,
  },
  noRpc: { type: "flag", description: "answer no RPC at all" },
  rpcCors: {
    type: "list",
    placeholder: "origins",
    description: "web pages that may read the RPC's answers, such as https://example.org (default any)",
  },
  rpcHosts: {
    type: "list",
    placeholder: "names",
    description: "names that the RPC may be asked under besides localhost and addresses; * is any",
  },
  rpcMethods: {
    type: "list",
    placeholder: "names",
    description: "methods that are answered, such as eth_*,net_*; with a - in front, those that are not",
  },
  rpcLimit: {
    type: "list",
    placeholder: "name=value",
    description: "another limit of the RPC, such as connections=5000; docs/rpc.md lists them",
  },
  blobSpace: {
    type: "integer",
    placeholder: "MB",
    description: "for inputs of jobs that anybody brings to the RPC's /blobs; 0: none",
    default: 256,
    max: 1_048_576,
  },
  p2pPort: {
    type: "integer",
    placeholder: "port",
    description: `for other nodes; 0 takes any (default ${DEFAULT_P2P_PORT})`,
    max: 65_535,
  },
  listen: {
    type: "list",
    placeholder: "multiaddr",
    description: "where other nodes connect, instead of --p2p-port on all addresses",
  },
  announce: {
    type: "list",
    placeholder: "multiaddr",
    description: "told to others instead of the addresses that are listened on",
  },
  bootstrap: {
    type: "list",
    placeholder: "multiaddr",
    description: "a node to begin with: /ip4/1.2.3.4/tcp/30333/p2p/12D3Koo...",
    env: "OGPU_BOOTSTRAP",
  },
  persistentPeer: {
    type: "list",
    placeholder: "multiaddr",
    description: "a node to stay connected with; validators name each other",
  },
  mdns: { type: "flag", description: "find nodes on the local network" },
  archive: { type: "flag", description: "keep the state of every block, for historical queries" },
  fromGenesis: {
    type: "flag",
    description: "execute all blocks instead of fetching a snapshot of the state (an archive always does)",
  },
  nearBlocks: {
    type: "integer",
    placeholder: "blocks",
    description: "execute the blocks also where a snapshot would save no more than so many",
    default: NEAR_BLOCKS,
  },
  checkpoint: {
    type: "string",
    placeholder: "epoch:hash",
    description:
      "the last block of an epoch, as somebody you trust told you; needed when what this node has is long ago",
  },
  trustBlock: {
    type: "string",
    placeholder: "hash",
    description: "go on from this block, the last one here, however old: the whole network has stood still since",
  },
  logLevel: {
    type: "string",
    placeholder: "levels",
    description: "how much is logged, such as warn or info,consensus=debug,network=trace",
    default: "info",
    env: "OGPU_LOG_LEVEL",
  },
  logJson: { type: "flag", description: "log as lines of JSON" },
  cache: {
    type: "integer",
    placeholder: "MB",
    description: "memory for parts of the state",
    default: 256,
    min: 8,
    max: 65_536,
  },
  stopWithInput: { type: "flag", description: "stop when standard input ends, for programs that start nodes" },
};

export type NodeOptions = OptionValues<NodeOptionSpecs>;
