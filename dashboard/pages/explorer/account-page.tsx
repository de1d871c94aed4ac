import type { JSX } from "preact";
import type { Hex } from "viem";
import { getBalance, getCode, getLogs, getTransactionCount } from "viem/actions";
import { Answer, Badge, Card, Empty, Facts, PageHead } from "../../components/layout.tsx";
import { Amount, Hash } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { recentBlocks } from "../../state/live.ts";
import { moduleAt } from "../../state/modules.ts";
import { ask, node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { nameOfAddress } from "../../words/names.ts";
import { LogList } from "./log-list.tsx";

interface StakeJson {
  readonly delegated: Hex;
  readonly unbonding: Hex;
  readonly rewards: Hex;
  readonly validator: object | null;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Blocks whose logs are looked through. */
const LOG_BLOCKS = 2000n;
const MAX_LOGS = 50;

export function AccountPage({ address }: { readonly address: string }): JSX.Element {
  if (!ADDRESS.test(address)) {
    return (
      <>
        <PageHead title="Account" />
        <Card title="Not an address">
          <Empty title="This is no address.">An address is 0x and 40 hexadecimal digits.</Empty>
        </Card>
      </>
    );
  }
  return <AccountView address={address as Hex} />;
}

function AccountView({ address }: { readonly address: Hex }): JSX.Element {
  const module = moduleAt(address);
  const query = useQuery(
    `account ${address}`,
    async () => {
      const [balance, nonce, code, stake] = await Promise.all([
        getBalance(node, { address }),
        getTransactionCount(node, { address }),
        getCode(node, { address }),
        ask<StakeJson>("ogpu_getStake", address).catch(() => undefined),
      ]);
      return { balance, nonce, code, stake };
    },
    true,
  );
  const kind = (code: Hex | undefined) =>
    module !== undefined ? "Native module" : code === undefined ? "Account" : "Contract";
  return (
    <>
      <PageHead title={nameOfAddress(address) ?? "Account"}>
        {query.value !== undefined && <Badge tone="accent">{kind(query.value.code)}</Badge>}
      </PageHead>
      <Answer query={query}>
        {({ balance, nonce, code, stake }) => (
          <Card title="State">
            <Facts
              items={[
                ["Address", <Hash key="a" of={address} isWhole />],
                ["Balance", <Amount key="b" wei={balance} decimals={18} />],
                ["Transactions sent", formatCount(nonce)],
                stake !== undefined &&
                  BigInt(stake.delegated) > 0n && ["Delegated", <Amount key="d" wei={BigInt(stake.delegated)} />],
                stake !== undefined &&
                  BigInt(stake.unbonding) > 0n && ["Unbonding", <Amount key="u" wei={BigInt(stake.unbonding)} />],
                stake !== undefined &&
                  BigInt(stake.rewards) > 0n && [
                    "Rewards to claim",
                    <Amount key="r" wei={BigInt(stake.rewards)} decimals={8} />,
                  ],
                stake?.validator != null && [
                  "Role",
                  <a key="v" href={`#/validator/${address}`}>
                    Validator
                  </a>,
                ],
                code !== undefined && module === undefined && ["Code", `${formatCount((code.length - 2) / 2)} bytes`],
              ]}
            />
          </Card>
        )}
      </Answer>
      <Card title="Events" flush>
        <AccountLogs address={address} isModule={module !== undefined} />
      </Card>
    </>
  );
}

/** Its own events, or for a plain account those of the modules that name it. */
function AccountLogs({ address, isModule }: { readonly address: Hex; readonly isModule: boolean }): JSX.Element {
  const head = useStore(recentBlocks).at(-1)?.number;
  const query = useQuery(`account logs ${address} ${head === undefined}`, async () => {
    if (head === undefined) return undefined;
    const fromBlock = head > LOG_BLOCKS ? head - LOG_BLOCKS : 0n;
    const topic: Hex = `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
    const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: "latest" };
    const own = await getLogs(node, { address, fromBlock });
    if (isModule || own.length > 0) return own.slice(-MAX_LOGS).reverse();
    const named = await Promise.all(
      [
        [null, topic],
        [null, null, topic],
        [null, null, null, topic],
      ].map((topics) => ask<readonly RawLog[]>("eth_getLogs", { ...range, topics }).catch(() => [])),
    );
    return named.flat().map(readLog).sort(newestFirst).slice(0, MAX_LOGS);
  });
  return (
    <Answer query={query}>
      {(logs) => (
        <LogList
          withBlock
          logs={logs}
          empty={`Nothing in the last ${formatCount(LOG_BLOCKS)} blocks names this account.`}
        />
      )}
    </Answer>
  );
}

type ReadLog = Awaited<ReturnType<typeof getLogs>>[number];

interface RawLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
}

function readLog(raw: RawLog): ReadLog {
  return { ...raw, blockNumber: BigInt(raw.blockNumber), logIndex: Number(raw.logIndex) } as unknown as ReadLog;
}

function newestFirst(a: ReadLog, b: ReadLog): number {
  return Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex);
}
