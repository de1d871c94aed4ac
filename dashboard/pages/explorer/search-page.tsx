import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { getBlock, getTransaction } from "viem/actions";
import { Card, Empty, PageHead } from "../../components/layout.tsx";
import { formatRoute, type Route } from "../../router/route.ts";
import { readSearch } from "../../router/search.ts";
import { replaceRoute } from "../../router/use-route.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { readJob } from "../client/read-market.ts";
import { nameOf } from "../validators/name-of.ts";
import { readValidators } from "../validators/read-validators.ts";

interface Found {
  readonly route: Route;
  readonly label: string;
}

/** Everything that the text may mean and that exists. */
async function lookUp(text: string): Promise<readonly Found[]> {
  const term = readSearch(text);
  switch (term.kind) {
    case "address":
      return [{ route: { page: "account", address: term.address }, label: `Account ${term.address}` }];
    case "number": {
      const [number, id] = [term.number, String(term.number)];
      return await existing([
        [{ route: { page: "block", id }, label: `Block ${id}` }, getBlock(node, { blockNumber: number })],
        [{ route: { page: "job", id }, label: `Job ${id}` }, requireJob(number)],
        [{ route: { page: "proposal", id }, label: `Proposal ${id}` }, requireProposal(number)],
      ]);
    }
    case "hash":
      return await existing([
        [{ route: { page: "transaction", hash: term.hash }, label: "Transaction" }, getTransaction(node, term)],
        [{ route: { page: "block", id: term.hash }, label: "Block" }, getBlock(node, { blockHash: term.hash })],
      ]);
    default:
      return await lookUpName(text.trim().toLowerCase());
  }
}

/** Those who have a name: providers, validators. */
async function lookUpName(name: string): Promise<readonly Found[]> {
  if (name === "") return [];
  const [providers, { validators }] = await Promise.all([
    node.readModule({ module: "providers", functionName: "providers", args: [0n, 100n] }),
    readValidators(),
  ]);
  return [
    ...providers.map((provider) => ({
      route: { page: "provider-detail", address: provider.account } as const,
      label: `${provider.name} (provider)`,
    })),
    ...validators.map((validator) => ({
      route: { page: "validator", operator: validator.operator } as const,
      label: `${nameOf(validator)} (validator)`,
    })),
  ].filter(({ label }) => label.toLowerCase().includes(name));
}

async function requireJob(id: bigint): Promise<void> {
  const { status } = await readJob(id);
  if (status === 0) throw new Error("there is no such job");
}

async function requireProposal(id: bigint): Promise<void> {
  if (id === 0n || id > (await node.readModule({ module: "governance", functionName: "proposalCount" })))
    throw new Error("there is no such proposal");
}

/** What the node answered for. */
async function existing(candidates: readonly (readonly [Found, Promise<unknown>])[]): Promise<readonly Found[]> {
  const settled = await Promise.allSettled(candidates.map(([, asked]) => asked));
  return candidates.flatMap(([found], index) => (settled[index]?.status === "fulfilled" ? [found] : []));
}

export function SearchPage({ text }: { readonly text: string }): JSX.Element {
  const { value: found } = useQuery(`search ${text}`, () => lookUp(text));
  const [only] = found?.length === 1 ? found : [];
  useEffect(() => {
    if (only !== undefined) replaceRoute(only.route);
  }, [only]);
  if (found === undefined || only !== undefined) return <PageHead title="Searching" intro={`Looking for “${text}”.`} />;
  return (
    <>
      <PageHead title="Search" intro={`What “${text}” may mean.`} />
      <Card title={found.length === 0 ? "Nothing found" : "Found"}>
        {found.length === 0 ? (
          <Empty title={`The chain has nothing by “${text}”.`}>
            Search for a block by its height or hash, a transaction by its hash, an account by its address, a job or a
            proposal by its number, a provider or a validator by its name.
          </Empty>
        ) : (
          <ul>
            {found.map(({ route, label }) => (
              <li key={formatRoute(route)}>
                <a href={formatRoute(route)}>{label}</a>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
