/** A chain on which a bit of everything has happened, and questions about it for every method of the RPC. */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../base/secp256k1.ts";
import { OGPU } from "../../../base/units.ts";
import { developmentAccounts } from "../../../rpc/development/accounts.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { ALICE, BOB, STRANGER, singleSpec } from "../../chain/runtime/support/single-node.ts";
import { postJob } from "./posted-job.ts";
import { RpcFixture } from "./rpc-fixture.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Stores the first word of its input at slot 0, emits it under the topic 0x11..11 and answers with it; without input, it
 * reverts with Error("no").
 */
const REVERT = `7f08c379a0${"00".repeat(28)}60005260206004526002602452${`7f6e6f${"00".repeat(30)}`}60445260646000fd`;
const STORING_BODY = `60003580600055806000527f${"11".repeat(32)}60206000a160206000f3`;

/** CALLDATASIZE, PUSH1 to the body, JUMPI, then the revert; JUMPDEST, then the body. */
function runtime(): string {
  const target = (4 + REVERT.length / 2).toString(16).padStart(2, "0");
  return `3660${target}57${REVERT}5b${STORING_BODY}`;
}

export function initCode(code: string): Uint8Array {
  const length = (code.length / 2).toString(16).padStart(4, "0");
  return hexToBytes(`0x61${length}80600c6000396000f3${code}`);
}

export const WORD: Hex = `0x${"2a".padStart(64, "0")}`;
export const TOPIC: Hex = `0x${"11".repeat(32)}`;

export interface Facts {
  readonly contract: Hex;
  readonly transfer: Hex;
  readonly creation: Hex;
  readonly logging: Hex;
  readonly reverted: Hex;
  /** Its hash, and its number as a quantity. */
  readonly block: Hex;
  readonly number: Hex;
  readonly developer: Hex;
  /** On the chain, with a job for it. */
  readonly program: Hex;
}

export class DrivenChain {
  readonly fixture: RpcFixture;
  readonly facts: Facts;

  private constructor(fixture: RpcFixture, facts: Facts) {
    this.fixture = fixture;
    this.facts = facts;
  }

  static async open(): Promise<DrivenChain> {
    const spec = singleSpec();
    const developers = [...developmentAccounts({ ...spec, development: true }).keys()];
    const empty = { note: "", nonce: 0n, code: new Uint8Array(0), storage: new Map() };
    const funded = developers.map((address) => ({ ...empty, address, balance: 100n * OGPU }));
    const fixture = await RpcFixture.open(true, { development: true, accounts: [...spec.accounts, ...funded] });
    const { alone } = fixture;
    const { address, privateKey: key } = testAccount(1);
    const program = await postJob(fixture, { address, key });
    const transfer = await fixture.include(alone.sign(ALICE, { value: OGPU }));
    const creating = { nonce: 1n, to: undefined, value: 0n, data: initCode(runtime()), gasLimit: 500_000n };
    const creation = await fixture.include(alone.sign(ALICE, creating));
    const receipt = (await fixture.call("eth_getTransactionReceipt", creation)) as Json;
    const contract = receipt["contractAddress"] as Hex;
    const calling = { to: contract, value: 0n, gasLimit: 200_000n };
    const logging = await fixture.include(alone.sign(BOB, { ...calling, data: hexToBytes(WORD) }));
    const { blockHash, blockNumber } = (await fixture.call("eth_getTransactionReceipt", logging)) as Json;
    const reverted = await fixture.include(alone.sign(BOB, { ...calling, nonce: 1n }));
    const older = {
      type: 1,
      accessList: [{ address: contract, slots: [WORD] }],
      maxPriorityFeePerGas: 3_000_000_000n,
    } as const;
    await fixture.include(alone.sign(BOB, { ...older, nonce: 2n, gasLimit: 50_000n }));
    await fixture.include(alone.sign(BOB, { type: 0, nonce: 3n, maxPriorityFeePerGas: 3_000_000_000n }));
    // These two wait: one for a block, one for the nonce before it.
    await fixture.call("eth_sendRawTransaction", bytesToHex(alone.sign(BOB, { nonce: 4n })));
    await fixture.call("eth_sendRawTransaction", bytesToHex(alone.sign(BOB, { nonce: 6n })));
    const block = { block: blockHash as Hex, number: blockNumber as Hex };
    const developer = developers[0] as Hex;
    return new DrivenChain(fixture, { contract, transfer, creation, logging, reverted, ...block, developer, program });
  }

  async close(): Promise<void> {
    await this.fixture.close();
  }

  /** Parameters with which a method must answer; `undefined` for a method that this chain knows nothing to ask. */
  questions(method: string): readonly (readonly unknown[])[] | undefined {
    return this.table()[method];
  }

  private table(): Readonly<Record<string, readonly (readonly unknown[])[]>> {
    return { ...this.reads(), ...this.calls(), ...this.traces(), ...this.writes(), ...this.ownMethods() };
  }

  private reads(): Record<string, readonly (readonly unknown[])[]> {
    const { contract, transfer, creation, logging, reverted, block, number } = this.facts;
    const nothing = [[]];
    const hashes = [[transfer], [creation], [logging], [reverted], [`0x${"00".repeat(32)}`]];
    const blocks = [[number], ["latest"], ["earliest"], ["safe"], ["finalized"], ["pending"]];
    const accounts = [
      [ALICE.address],
      [contract, "latest"],
      [STRANGER.address, number],
      [ALICE.address, { blockHash: block }],
    ];
    const counts = { eth_chainId: nothing, eth_blockNumber: nothing, eth_syncing: nothing, eth_coinbase: nothing };
    const fees = {
      eth_gasPrice: nothing,
      eth_baseFee: nothing,
      eth_blobBaseFee: nothing,
      eth_maxPriorityFeePerGas: nothing,
    };
    const node = { net_version: nothing, net_listening: nothing, net_peerCount: nothing, web3_clientVersion: nothing };
    const pool = {
      txpool_status: nothing,
      txpool_content: nothing,
      txpool_inspect: nothing,
      txpool_contentFrom: [[BOB.address]],
    };
    return {
      ...counts,
      ...fees,
      ...node,
      ...pool,
      web3_sha3: [["0x68656c6c6f"]],
      eth_accounts: nothing,
      eth_capabilities: nothing,
      eth_config: nothing,
      eth_feeHistory: [
        ["0x4", "latest", [10, 50, 90]],
        ["0x1", number, []],
      ],
      eth_getBlockByHash: [
        [block, false],
        [block, true],
        [`0x${"00".repeat(32)}`, false],
      ],
      eth_getBlockByNumber: blocks.flatMap(([tag]) => [
        [tag, false],
        [tag, true],
      ]),
      eth_getBlockTransactionCountByHash: [[block]],
      eth_getBlockTransactionCountByNumber: blocks,
      eth_getUncleCountByBlockHash: [[block]],
      eth_getUncleCountByBlockNumber: blocks,
      eth_getUncleByBlockHashAndIndex: [[block, "0x0"]],
      eth_getUncleByBlockNumberAndIndex: [[number, "0x0"]],
      eth_getBlockReceipts: [...blocks, [block]],
      eth_getTransactionByHash: hashes,
      eth_getTransactionByBlockHashAndIndex: [
        [block, "0x0"],
        [block, "0x9"],
      ],
      eth_getTransactionByBlockNumberAndIndex: [
        [number, "0x0"],
        ["0xffffff", "0x0"],
      ],
      eth_getTransactionReceipt: hashes,
      eth_getBalance: accounts,
      eth_getCode: accounts,
      eth_getTransactionCount: [...accounts, [BOB.address, "pending"]],
      eth_getStorageAt: [
        [contract, "0x0"],
        [contract, "0x0", number],
      ],
      eth_getStorageValues: [[{ [contract]: ["0x0", WORD] }, "latest"]],
      eth_getProof: [
        [contract, ["0x0", WORD], "latest"],
        [STRANGER.address, [], "latest"],
      ],
      eth_getLogs: [
        [{ fromBlock: "0x0", toBlock: "latest" }],
        [{ blockHash: block }],
        [{ fromBlock: "0x0", topics: [TOPIC] }],
      ],
      debug_getRawBlock: blocks,
      debug_getRawHeader: blocks,
      debug_getRawReceipts: blocks,
      debug_getRawTransaction: hashes,
      debug_getBadBlocks: nothing,
    };
  }

  private calls(): Record<string, readonly (readonly unknown[])[]> {
    const { contract } = this.facts;
    const call = { from: ALICE.address, to: contract, input: WORD };
    const richer = { [STRANGER.address]: { balance: "0xde0b6b3a7640000", nonce: "0x7" } };
    const transfer = { from: STRANGER.address, to: BOB.address, value: "0x1" };
    const asked = [
      [call],
      [call, "latest"],
      [transfer, "latest", richer],
      [transfer, "latest", richer, { number: "0x1234" }],
    ];
    const reverting = { from: ALICE.address, to: contract };
    const blockStateCalls = [
      { blockOverrides: { time: "0xffffffff" }, stateOverrides: richer, calls: [transfer, call, reverting] },
      { calls: [{ from: ALICE.address, to: contract, input: WORD, gas: "0x5400" }] },
    ];
    return {
      eth_call: asked,
      eth_estimateGas: asked.slice(0, 3),
      eth_createAccessList: [[call], [reverting]],
      eth_simulateV1: [
        [{ blockStateCalls }],
        [{ blockStateCalls, traceTransfers: true, returnFullTransactions: true }, "latest"],
      ],
      eth_fillTransaction: [[call], [{ ...call, gasPrice: "0x77359400" }]],
    };
  }

  private traces(): Record<string, readonly (readonly unknown[])[]> {
    const { contract, transfer, creation, logging, reverted, block, number } = this.facts;
    const options = [
      {},
      { enableMemory: true, enableReturnData: true, limit: 100 },
      { tracer: "callTracer", tracerConfig: { withLog: true } },
      { tracer: "prestateTracer" },
      { tracer: "prestateTracer", tracerConfig: { diffMode: true } },
    ];
    const transactions = [transfer, creation, logging, reverted];
    const call = { from: ALICE.address, to: contract, input: WORD };
    return {
      debug_traceTransaction: transactions.flatMap((hash) => options.map((wanted) => [hash, wanted])),
      debug_traceBlockByNumber: options.map((wanted) => [number, wanted]),
      debug_traceBlockByHash: options.map((wanted) => [block, wanted]),
      debug_traceCall: options.map((wanted) => [call, "latest", wanted]),
    };
  }

  private writes(): Record<string, readonly (readonly unknown[])[]> {
    const { alone } = this.fixture;
    const { developer } = this.facts;
    const message = "0xdeadbeef";
    return {
      eth_sendRawTransaction: [[bytesToHex(alone.sign(ALICE, { nonce: 2n }))]],
      eth_sendTransaction: [[{ from: developer, to: BOB.address, value: "0x1" }]],
      eth_signTransaction: [[{ from: developer, to: BOB.address, value: "0x1" }]],
      eth_sign: [[developer, message]],
      personal_sign: [[message, developer]],
      eth_signTypedData_v4: [
        [developer, TYPED_DATA],
        [developer, JSON.stringify(TYPED_DATA)],
      ],
      eth_newFilter: [[{ fromBlock: "0x0", topics: [TOPIC] }]],
      eth_newBlockFilter: [[]],
      eth_newPendingTransactionFilter: [[]],
    };
  }

  private ownMethods(): Record<string, readonly (readonly unknown[])[]> {
    const { contract, number, program } = this.facts;
    const validator = this.fixture.chain.spec.validators[0]?.operator;
    return {
      ogpu_status: [[]],
      ogpu_getPeers: [[]],
      ogpu_getEvidence: [[]],
      ogpu_getRecentBlocks: [[], [3]],
      ogpu_getAnomalies: [[], [10]],
      ogpu_getValidators: [[], [0]],
      ogpu_getSupply: [[], [number]],
      ogpu_getFinality: [[], [number], ["earliest"]],
      ogpu_getLightClientProof: [[], [number, 0]],
      ogpu_getParameters: [[], [number]],
      ogpu_getStake: [[ALICE.address], [validator]],
      ogpu_getDelegations: [[ALICE.address], [validator, number]],
      ogpu_getRewards: [[ALICE.address], [validator]],
      ogpu_getStakingValidators: [[], [0, 10, number]],
      ogpu_getProviders: [[], [0, 10]],
      ogpu_getProvider: [[ALICE.address]],
      ogpu_getVerifiers: [[], [0, 10]],
      ogpu_getSlashes: [[], [0, 10]],
      ogpu_getTrustLocks: [[ALICE.address], [ALICE.address, 0, 10]],
      ogpu_getProposals: [[], [0, 10]],
      ogpu_getJob: [["0x1"], ["0x2"], ["0x1", number]],
      ogpu_getJobs: [[], [{}, 0, 10], [{ status: 1 }], [{ client: ALICE.address }], [{ worker: ALICE.address }]],
      ogpu_getReceipt: [["0x1"], ["0x2"]],
      ogpu_getRound: [["0x1"]],
      ogpu_quote: [[{ program }], [{ computeUnits: "0x3b9aca00", tier: 1, seats: 5, budget: "0x1" }, "latest"]],
      ogpu_getProof: [[contract, ["0x0"]]],
      ogpu_faucet: [[STRANGER.address], [STRANGER.address, "0x1"]],
      "rpc.discover": [[]],
    };
  }
}

const TYPED_DATA = {
  domain: { name: "Test", version: "1", chainId: 1 },
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
    ],
    Mail: [{ name: "contents", type: "string" }],
  },
  primaryType: "Mail",
  message: { contents: "hello" },
};

/** For checks of signatures. */
export function addressOf(privateKey: Uint8Array): Hex {
  return bytesToHex(privateKeyToAddress(privateKey));
}
