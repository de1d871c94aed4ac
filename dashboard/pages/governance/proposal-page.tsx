import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Hex } from "viem";
import { VOTE_CHOICES } from "../../../rpc/client/ogpu-wallet-actions.ts";
import { Action, NeedsWallet, SelectField } from "../../components/forms.tsx";
import { Answer, AnswerPage, Card, Empty, Facts, PageHead } from "../../components/layout.tsx";
import { Address, Amount, BlockLink, Hash, Time } from "../../components/values.tsx";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { sendCall } from "../../wallet/send.ts";
import { wallet } from "../../wallet/wallet.ts";
import { capitalised } from "../../words/sentence.ts";
import { readPositions } from "../validators/read-validators.ts";
import { ParameterValue, ProposalStatus, RulesFacts } from "./governance-page.tsx";
import {
  KIND_WORDS,
  type Proposal,
  readTally,
  readWanted,
  STATUS_WORDS,
  VOTING,
  type Wanted,
} from "./read-governance.ts";
import { TallyDetail } from "./tally-bar.tsx";

export function ProposalPage({ id }: { readonly id: string }): JSX.Element {
  if (!/^\d{1,12}$/.test(id)) return <NoProposal id={id} />;
  return <NumberedProposal id={BigInt(id)} />;
}

function NoProposal({ id }: { readonly id: string }): JSX.Element {
  return (
    <>
      <PageHead title="Proposal" />
      <Card title="Not found">
        <Empty title={`There is no proposal ${id}.`}>
          See <a href="#/governance">all proposals</a>.
        </Empty>
      </Card>
    </>
  );
}

function NumberedProposal({ id }: { readonly id: bigint }): JSX.Element {
  const query = useQuery(
    `proposal ${id}`,
    async () => {
      const proposal = await node.getProposal({ id });
      const [tally, wanted] = await Promise.all([readTally(id), readWanted(proposal)]);
      return { proposal, tally, wanted };
    },
    true,
  );
  return (
    <AnswerPage title={`Proposal ${id}`} query={query}>
      {({ proposal, tally, wanted }) => (
        <>
          <PageHead title={`${id}. ${proposal.title}`}>
            <ProposalStatus status={proposal.status} />
          </PageHead>
          <div class="main-and-side">
            <div class="stack">
              <About proposal={proposal} wanted={wanted} />
              <Card title="By which rules it is decided">
                <RulesFacts id={id} />
              </Card>
            </div>
            <div class="stack">
              <Card title="Votes">
                <TallyDetail tally={tally} />
              </Card>
              <Card title="Your vote">
                <Vote proposal={proposal} onDone={query.again} />
              </Card>
            </div>
          </div>
        </>
      )}
    </AnswerPage>
  );
}

function About({ proposal, wanted }: { readonly proposal: Proposal; readonly wanted: Wanted }): JSX.Element {
  const { changes, spending, upgrade } = wanted;
  return (
    <Card title="What it wants">
      <Facts
        items={[
          ["Kind", KIND_WORDS[proposal.kind] ?? ""],
          ...changes.map(
            ([name, value]) =>
              [
                name,
                <span key={name}>
                  becomes <ParameterValue name={name} value={value} />
                </span>,
              ] as const,
          ),
          spending !== undefined && [
            "Pays",
            <span key="s">
              <Amount wei={spending.amount} /> to <Address of={spending.to} />
            </span>,
          ],
          upgrade !== undefined && [
            "Upgrade",
            <span key="u">
              <code>{upgrade.name}</code> at block <BlockLink number={upgrade.height} />
            </span>,
          ],
          ["Proposed by", <Address key="p" of={proposal.proposer} />],
          ["Made", <Time key="m" time={1000 * Number(proposal.created)} />],
          [proposal.status === VOTING ? "Voting ends" : "Due", <Time key="d" time={1000 * Number(proposal.due)} />],
          ["Deposit", <Amount key="e" wei={proposal.deposit} />],
          ["Text’s hash", <Hash key="h" of={proposal.bodyHash} />],
        ]}
      />
    </Card>
  );
}

/** In which ways an account can vote: as a validator with all its stake, and as a delegator with its own. */
async function waysToVote(account: Hex): Promise<readonly (readonly [value: string, label: string])[]> {
  const [validator, positions] = await Promise.all([node.getValidator({ operator: account }), readPositions(account)]);
  const own = validator.isRegistered ? [["validator", "Your validator, with all its stake"] as const] : [];
  const delegated = positions
    .filter(({ operator }) => operator.toLowerCase() !== account.toLowerCase())
    .map(({ operator }) => [operator, `What you delegate to ${operator.slice(0, 10)}…`] as const);
  return [...own, ...delegated];
}

function Vote({ proposal, onDone }: { readonly proposal: Proposal; readonly onDone: () => void }): JSX.Element {
  const account = useStore(wallet)?.address;
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const ways = useQuery(`ways ${account}`, async () => (account === undefined ? [] : await waysToVote(account)), true);
  if (proposal.status !== VOTING)
    return <p class="soft">Voting is over: {(STATUS_WORDS[proposal.status] ?? "").toLowerCase()}.</p>;
  if (account === undefined) return <NeedsWallet what="vote" />;
  const vote = async (choice: number) => {
    const way = chosen ?? ways.value?.[0]?.[0];
    if (way === undefined) return;
    const call =
      way === "validator"
        ? { functionName: "vote", args: [proposal.id, choice] }
        : { functionName: "voteAsDelegator", args: [proposal.id, way, choice] };
    const title = `Vote ${VOTE_CHOICES[choice]} on proposal ${proposal.id}`;
    if (await sendCall({ title, module: "governance", ...call })) onDone();
  };
  return (
    <Answer query={ways}>
      {(options) =>
        options.length === 0 ? (
          <p class="soft">
            This account has no stake to vote with. Votes count by the stake at the beginning of epoch{" "}
            {String(proposal.snapshot)}.
          </p>
        ) : (
          <div class="form">
            <SelectField
              label="Vote with"
              value={chosen ?? options[0]?.[0] ?? ""}
              onChange={setChosen}
              options={options}
            />
            <div class="row">
              {VOTE_CHOICES.slice(1).map((choice, index) => (
                <Action
                  key={choice}
                  tone={choice === "yes" ? "primary" : choice === "veto" ? "danger" : "plain"}
                  run={() => vote(index + 1)}
                >
                  {capitalised(choice)}
                </Action>
              ))}
            </div>
            <p class="soft small">A vote can be changed until voting ends.</p>
          </div>
        )
      }
    </Answer>
  );
}
