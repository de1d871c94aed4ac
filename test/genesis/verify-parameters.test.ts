import { describe, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import type { ChainSpec, ConsensusSpec, GenesisAccount, GenesisValidator } from "../../genesis/chain-spec.ts";
import { SUPPLY_CAP, verifyParameters } from "../../genesis/verify-parameters.ts";
import { TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { sampleSpec } from "./support/sample-spec.ts";

const sample = sampleSpec();

function paths(spec: ChainSpec): readonly string[] {
  return verifyParameters(spec).map(({ path }) => path);
}

function withBlock(block: Partial<ChainSpec["block"]>): ChainSpec {
  return { ...sample, block: { ...sample.block, ...block } };
}

function withToken(token: Partial<ChainSpec["modules"]["token"]>): ChainSpec {
  return { ...sample, modules: { ...sample.modules, token: { ...sample.modules.token, ...token } } };
}

function withAccount(account: Partial<GenesisAccount>): ChainSpec {
  const plain: GenesisAccount = {
    address: "0x00000000000000000000000000000000deadbeef",
    note: "",
    balance: 1n,
    nonce: 0n,
    code: new Uint8Array(0),
    storage: new Map(),
  };
  return { ...sample, accounts: [{ ...plain, ...account }] };
}

/** What the sample's validators have, which is allocated too. */
const STAKED = sample.validators.reduce((sum, { stake }) => sum + stake, 0n);

const SLOT = `0x${"11".repeat(32)}` as const;

describe("verifyParameters", () => {
  it("finds nothing wrong with a good spec", () => {
    expect(verifyParameters(sample)).toEqual([]);
    expect(verifyParameters(withAccount({}))).toEqual([]);
  });

  it("1: wants a chain id that wallets can hold in a signature", () => {
    expect(paths({ ...sample, chainId: 4_503_599_627_370_477n })).toEqual([]);
    expect(paths({ ...sample, chainId: 4_503_599_627_370_478n })).toEqual(["$.chainId"]);
    expect(paths({ ...sample, chainId: 0n })).toEqual(["$.chainId"]);
  });

  it.each([1n, 137n, 8453n, 31_337n, 11_155_111n])("2: refuses chain id %s of another network", (chainId) => {
    expect(paths({ ...sample, chainId })).toEqual(["$.chainId"]);
  });

  it("3: wants a block gas limit in which every allowed transaction fits", () => {
    expect(paths(withBlock({ gasLimit: 1n << 24n }))).toEqual([]);
    expect(paths(withBlock({ gasLimit: (1n << 24n) - 1n }))).toEqual(["$.block.gasLimit"]);
    expect(paths(withBlock({ gasLimit: 1_000_000_001n }))).toEqual(["$.block.gasLimit"]);
  });

  it("4: wants a base fee that can fall as well as rise", () => {
    expect(paths(withBlock({ initialBaseFee: 8n }))).toEqual([]);
    expect(paths(withBlock({ initialBaseFee: 7n }))).toEqual(["$.block.initialBaseFee"]);
    expect(paths(withBlock({ initialBaseFee: 10n ** 12n + 1n }))).toEqual(["$.block.initialBaseFee"]);
  });

  it("5: bounds the bytes of a transaction from both sides", () => {
    expect(paths(withBlock({ maxTransactionBytes: 65_535 }))).toEqual(["$.block.maxTransactionBytes"]);
    expect(paths(withBlock({ maxTransactionBytes: 1_048_577 }))).toEqual(["$.block.maxTransactionBytes"]);
  });

  it("6: bounds the block interval from both sides", () => {
    expect(paths(withBlock({ intervalMilliseconds: 49 }))).toEqual(["$.block.intervalMilliseconds"]);
    expect(paths(withBlock({ intervalMilliseconds: 60_001 }))).toContain("$.block.intervalMilliseconds");
  });

  it("7: wants the cap to be 21,000,000 oGPU to the wei", () => {
    expect(SUPPLY_CAP).toBe(21_000_000n * 10n ** 18n);
    for (const cap of [SUPPLY_CAP - 1n, SUPPLY_CAP + 1n])
      expect(paths(withToken({ cap }))).toEqual(["$.modules.token.cap"]);
  });

  it("8: wants emission to end at a block number that JSON numbers hold", () => {
    const emission = { initialPerBlock: 1n, halvingBlocks: BigInt(Number.MAX_SAFE_INTEGER) };
    expect(paths(withToken({ emission }))).toEqual([]);
    expect(paths(withToken({ emission: { ...emission, initialPerBlock: 2n } }))).toEqual([
      "$.modules.token.emission.halvingBlocks",
    ]);
  });

  it("9: wants allocation and emission together within the cap, to the wei", () => {
    const emission = { initialPerBlock: 0n, halvingBlocks: 1n };
    const spec = (balance: bigint): ChainSpec => ({
      ...withAccount({ balance: balance - STAKED }),
      modules: withToken({ emission }).modules,
    });
    expect(paths(spec(SUPPLY_CAP))).toEqual([]);
    expect(paths(spec(SUPPLY_CAP + 1n))).toEqual(["$"]);
    const minting = withToken({ emission: { initialPerBlock: 1n, halvingBlocks: 1n } }).modules;
    expect(paths({ ...spec(SUPPLY_CAP - 1n), modules: minting })).toEqual([]);
    expect(paths({ ...spec(SUPPLY_CAP), modules: minting })).toEqual(["$"]);
  });

  it("10: refuses an address that is allocated twice", () => {
    const [account] = sample.accounts;
    expect(paths({ ...sample, accounts: account ? [account, account] : [] })).toEqual(["$.accounts[1].address"]);
  });

  it.each([
    ["a native module", TOKEN_ADDRESS],
    ["a native module to come", "0x6f4750554d6f64756c65000000000000000000ff" as const],
    ["a precompile", "0x0000000000000000000000000000000000000100" as const],
    ["the zero address", "0x0000000000000000000000000000000000000000" as const],
  ])("11: refuses an allocation to %s", (_what, address) => {
    expect(paths(withAccount({ address }))).toEqual(["$.accounts[0].address"]);
  });

  it("12: refuses an empty account", () => {
    expect(paths(withAccount({ balance: 0n }))).toEqual(["$.accounts[0]"]);
  });

  it("13: refuses storage without code or nonce, even where there is a balance", () => {
    const storage = new Map([[SLOT, new Uint8Array([1])]]);
    expect(paths(withAccount({ storage }))).toEqual(["$.accounts[0]"]);
    expect(paths(withAccount({ storage, nonce: 1n }))).toEqual([]);
    expect(paths(withAccount({ storage, nonce: 1n, code: new Uint8Array([0]) }))).toEqual([]);
  });

  it("14: refuses code with a nonce of zero", () => {
    expect(paths(withAccount({ code: new Uint8Array([0]) }))).toEqual(["$.accounts[0].nonce"]);
  });

  it("15: refuses code that starts with 0xef", () => {
    expect(paths(withAccount({ code: new Uint8Array([0xef, 1]), nonce: 1n }))).toEqual(["$.accounts[0].code"]);
  });

  it("16: refuses a slot of zero", () => {
    const storage = new Map([[SLOT, new Uint8Array(0)]]);
    expect(paths(withAccount({ storage, nonce: 1n }))).toEqual([`$.accounts[0].storage.${SLOT}`]);
  });

  it("17: refuses a start after the year 9999, which tools cannot write as a date", () => {
    expect(paths({ ...sample, genesisTime: 253_402_300_799n })).toEqual([]);
    expect(paths({ ...sample, genesisTime: 253_402_300_800n })).toEqual(["$.genesisTime"]);
    expect(paths({ ...sample, genesisTime: BigInt(Number.MAX_SAFE_INTEGER) })).toEqual(["$.genesisTime"]);
  });

  const consensusRules: readonly [string, keyof ConsensusSpec, readonly number[], readonly number[]][] = [
    ["18: gives a view more time than the block interval", "viewTimeoutMilliseconds", [1001, 30_000], [1000]],
    [
      "18: caps that time, not below where it starts",
      "viewTimeoutCapMilliseconds",
      [3000, 3_600_000],
      [2999, 3_600_001],
    ],
    ["18: lets it grow by any step up to the cap", "viewTimeoutStepMilliseconds", [0, 30_000], [30_001]],
    ["19: bounds the heartbeat", "heartbeatMilliseconds", [1000, 86_400_000], [999, 86_400_001]],
    ["20: bounds the time until everything is sent again", "resendMilliseconds", [10, 60_000], [9, 60_001]],
    ["20: bounds the time until something is asked for again", "fetchMilliseconds", [10, 60_000], [9, 60_001]],
    ["21: bounds the difference of clocks", "maxSkewMilliseconds", [0, 60_000], [60_001]],
    ["22: bounds the blocks that are not final", "maxUnfinalBlocks", [1, 1024], [0, 1025]],
    ["23: lets nobody have a third of the weight", "weightCapDivisor", [4, 1000], [3, 1001]],
    ["24: bounds the blocks of an epoch", "epochBlocks", [1, 10_000_000], [0, 10_000_001]],
    ["25: bounds the trusting period", "trustingPeriodSeconds", [120, 31_536_000], [119, 31_536_001]],
  ];

  it.each(consensusRules)("%s", (_rule, name, good, bad) => {
    // On a development chain: elsewhere unbonding has to be longer than the trusting period.
    const withValue = (value: number): ChainSpec => ({
      ...sample,
      development: true,
      consensus: { ...sample.consensus, [name]: value },
    });
    for (const value of good) expect(paths(withValue(value))).toEqual([]);
    for (const value of bad) expect(paths(withValue(value))).toEqual([`$.consensus.${name}`]);
  });

  it("25: wants a trusting period of two heartbeats, and of a minute however fast the heart beats", () => {
    const refused = (heartbeatMilliseconds: number, trustingPeriodSeconds: number): readonly string[] => {
      const consensus = { ...sample.consensus, heartbeatMilliseconds, trustingPeriodSeconds };
      return paths({ ...sample, development: true, consensus });
    };
    expect(refused(1_000, 60)).toEqual([]);
    expect(refused(1_000, 59)).toEqual(["$.consensus.trustingPeriodSeconds"]);
    expect(refused(86_400_000, 172_800)).toEqual([]);
    expect(refused(86_400_000, 172_799)).toEqual(["$.consensus.trustingPeriodSeconds"]);
  });

  const withValidators = (...validators: readonly Partial<GenesisValidator>[]): ChainSpec => {
    const [first] = sample.validators;
    return { ...sample, validators: validators.map((change) => ({ ...(first as GenesisValidator), ...change })) };
  };

  const OTHER_OPERATOR = `0x${"ab".repeat(20)}` as const;

  it("26: refuses a validator's key that is there twice", () => {
    expect(paths(withValidators({}, { operator: OTHER_OPERATOR }))).toEqual(["$.validators[1].publicKey"]);
  });

  it("27: wants every validator to stake what staking asks for, and counts it as allocated", () => {
    const { minSelfStake } = sample.modules.staking;
    expect(paths(withValidators({ stake: minSelfStake }))).toEqual([]);
    expect(paths(withValidators({ stake: minSelfStake - 1n }))).toEqual(["$.validators[0].stake"]);
    expect(paths(withValidators({ stake: SUPPLY_CAP }))).toEqual(["$"]);
  });

  it("28: refuses an operator at an address of the protocol, and one that acts for two validators", () => {
    expect(paths(withValidators({ operator: TOKEN_ADDRESS }))).toEqual(["$.validators[0].operator"]);
    const other = `0x${"c".repeat(96)}` as const;
    expect(paths(withValidators({}, { publicKey: other }))).toEqual(["$.validators[1].operator"]);
    expect(paths(withValidators({}, { publicKey: other, operator: OTHER_OPERATOR }))).toEqual([]);
  });

  it("29: refuses a verifier that is there twice, stakes too little or is an address of the protocol", () => {
    const { minStake } = sample.modules.verifiers;
    const withVerifiers = (...verifiers: ChainSpec["verifiers"]): readonly string[] => paths({ ...sample, verifiers });
    const one = { account: OTHER_OPERATOR, stake: minStake } as const;
    expect(withVerifiers(one)).toEqual([]);
    expect(withVerifiers(one, one)).toEqual(["$.verifiers[1].account"]);
    expect(withVerifiers({ ...one, stake: minStake - 1n })).toEqual(["$.verifiers[0].stake"]);
    expect(withVerifiers({ ...one, account: TOKEN_ADDRESS })).toEqual(["$.verifiers[0].account"]);
  });

  it("accepts a network without validators, which is not launched", () => {
    expect(paths(withValidators())).toEqual([]);
  });

  it("reports several violations together", () => {
    const spec = { ...withAccount({ balance: 22_000_000n * OGPU }), chainId: 1n };
    expect(paths(spec)).toEqual(["$.chainId", "$"]);
  });
});
