import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Hex } from "viem";
import { readContract } from "viem/actions";
import { Action, AmountField, NeedsWallet, SelectField, TextField } from "../../components/forms.tsx";
import { Answer, Card, Facts } from "../../components/layout.tsx";
import { Amount } from "../../components/values.tsx";
import { readAmount } from "../../format/amounts.ts";
import { bytesOfText } from "../../format/hex.ts";
import { market } from "../../state/modules.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { sendCall } from "../../wallet/send.ts";
import { AssuranceField } from "./assurance-field.tsx";
import { InputsField, isAddress } from "./inputs-field.tsx";
import { ProgramFacts } from "./program-facts.tsx";
import type { Published } from "./published.ts";
import { readSummary } from "./read-market.ts";
import { NO_CALLBACK } from "./tasks.ts";

interface Draft {
  readonly program: string;
  readonly budget: string;
  readonly segments: string;
  readonly tier: string;
  readonly seats: number;
  readonly bidSeconds: string;
  readonly jobSeconds: string;
  readonly region: string;
}

const EMPTY: Draft = {
  program: "",
  budget: "",
  segments: "1",
  tier: "0",
  seats: 3,
  bidSeconds: "4",
  jobSeconds: "600",
  region: "",
};
const TIERS = Array.from({ length: 16 }, (_, tier) => [String(tier), `Tier ${tier}`] as const);
const NUMBER = /^\d{1,9}$/;

function termsOf(draft: Draft) {
  const budget = readAmount(draft.budget);
  const numbers = [draft.segments, draft.bidSeconds, draft.jobSeconds];
  if (!budget.ok || !isAddress(draft.program) || !numbers.every((text) => NUMBER.test(text))) return undefined;
  return {
    program: draft.program as Hex,
    budget: budget.wei,
    segments: Number(draft.segments),
    tier: Number(draft.tier),
    seats: draft.seats,
    assurance: 0,
    bidSeconds: BigInt(draft.bidSeconds),
    jobSeconds: BigInt(draft.jobSeconds),
    region: bytesOfText(draft.region, 16),
  };
}

interface AuctionFormProps {
  /** What it begins with. */
  readonly published: Published | undefined;
  readonly onPosted: () => void;
}

export function AuctionForm({ published, onPosted }: AuctionFormProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, program: published?.program ?? "" });
  const [inputs, setInputs] = useState<readonly string[]>(published?.inputs ?? []);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const budget = readAmount(draft.budget);
  const { program } = draft;
  return (
    <Card title="Auction a job">
      <div class="form">
        <TextField
          label="Program"
          value={program}
          onChange={(text) => change({ program: text.trim().toLowerCase() })}
          placeholder="0x…"
          hint="The content address of a published program"
          problem={
            program === "" || isAddress(program) ? undefined : "A content address is 0x and 64 hexadecimal digits."
          }
        />
        {isAddress(program) && <ProgramFacts program={program} />}
        <div class="form-row">
          <AmountField
            label="Budget"
            value={draft.budget}
            onChange={(text) => change({ budget: text })}
            problem={draft.budget === "" || budget.ok ? undefined : budget.problem}
            hint="Workers are paid so much at most"
          />
          <SelectField label="Compute tier" value={draft.tier} onChange={(tier) => change({ tier })} options={TIERS} />
          <TextField
            label="Segments"
            value={draft.segments}
            onChange={(segments) => change({ segments })}
            hint="Parts that are verified and paid one by one"
          />
        </div>
        <div class="form-row">
          <TextField
            label="Seconds for bids"
            value={draft.bidSeconds}
            onChange={(bidSeconds) => change({ bidSeconds })}
          />
          <TextField
            label="Seconds for the job"
            value={draft.jobSeconds}
            onChange={(jobSeconds) => change({ jobSeconds })}
          />
          <TextField
            label="Region"
            value={draft.region}
            onChange={(region) => change({ region })}
            hint="Empty for anywhere"
          />
        </div>
        <AssuranceField seats={draft.seats} onChange={(seats) => change({ seats })} />
        <QuotedJob draft={draft} inputs={inputs} onInputs={setInputs} onDone={onPosted} />
      </div>
    </Card>
  );
}

interface QuotedJobProps {
  readonly draft: Draft;
  readonly inputs: readonly string[];
  readonly onInputs: (inputs: readonly string[]) => void;
  readonly onDone: () => void;
}

function QuotedJob({ draft, inputs, onInputs, onDone }: QuotedJobProps): JSX.Element {
  const terms = termsOf(draft);
  const key = JSON.stringify(draft);
  const query = useQuery(`job quote ${key}`, async () => {
    if (terms === undefined) return { isReady: false } as const;
    const [summary, [suggested, verification, total, lock]] = await Promise.all([
      readSummary(terms.program),
      readContract(node, { ...market, functionName: "quoteJob", args: [terms] }),
    ]);
    return { isReady: true, summary, suggested, verification, total, lock } as const;
  });
  return (
    <Answer query={query}>
      {(quote) => {
        if (!quote.isReady || terms === undefined) return <p class="soft small">Fill this in to see what it costs.</p>;
        const post = async () => {
          const args = [terms, inputs, NO_CALLBACK];
          if (
            await sendCall({
              title: "Auction",
              module: "market",
              functionName: "postJob",
              args,
              value: quote.total + quote.lock,
            })
          )
            onDone();
        };
        return (
          <>
            <InputsField summary={quote.summary} inputs={inputs} onChange={onInputs} />
            <Facts
              items={[
                [
                  "Suggested",
                  <span key="s">
                    <Amount wei={quote.suggested} decimals={9} /> at the base price of the tier
                  </span>,
                ],
                ["Verification", <Amount key="v" wei={quote.verification} decimals={9} />],
                ["In all", <Amount key="t" wei={quote.total} decimals={9} />],
                [
                  "Set aside",
                  <span key="l">
                    <Amount wei={quote.lock} decimals={9} />, which comes back
                  </span>,
                ],
              ]}
            />
            <NeedsWallet what="post it" />
            <div class="row">
              <Action run={post} isDisabled={!quote.summary.inputs.every((_, index) => isAddress(inputs[index]))}>
                Post for <Amount wei={quote.total} decimals={6} />
              </Action>
            </div>
          </>
        );
      }}
    </Answer>
  );
}
