import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { reasonText } from "../../../rpc/client/job-reasons.ts";
import { Action, AmountField } from "../../components/forms.tsx";
import { AnswerPage, Bar, Card, Empty, Facts, PageHead } from "../../components/layout.tsx";
import { Address, Ago, Amount, Hash, Time } from "../../components/values.tsx";
import { formatShare, readAmount } from "../../format/amounts.ts";
import { textOfBytes } from "../../format/hex.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { sendCall } from "../../wallet/send.ts";
import { wallet } from "../../wallet/wallet.ts";
import { JobOutputs } from "./job-outputs.tsx";
import { JobStatus } from "./job-tables.tsx";
import { isRunning, isSettled, oneIn, progressOf, turnOf } from "./job-words.ts";
import { type Job, readJob, readReceipt } from "./read-market.ts";
import { useProgress } from "./use-progress.ts";

const NOBODY = /^0x0+$/;

export function JobPage({ id }: { readonly id: string }): JSX.Element {
  const number = /^\d{1,15}$/.test(id) ? BigInt(id) : 0n;
  const query = useQuery(
    `job ${id}`,
    async () => {
      const [job, receipt] = await Promise.all([readJob(number), readReceipt(number)]);
      return { job, receipt };
    },
    true,
  );
  return (
    <AnswerPage title={`Job ${id}`} query={query}>
      {({ job, receipt }) =>
        job.status === 0 ? (
          <>
            <PageHead title={`Job ${id}`} />
            <Card title="Not found">
              <Empty title={`There is no job ${id}.`}>
                See <a href="#/client">your jobs</a>.
              </Empty>
            </Card>
          </>
        ) : (
          <JobView job={job} receipt={receipt} again={query.again} />
        )
      }
    </AnswerPage>
  );
}

type Receipt = Awaited<ReturnType<typeof readReceipt>>;

interface JobViewProps {
  readonly job: Job;
  readonly receipt: Receipt;
  readonly again: () => void;
}

function JobView({ job, receipt, again }: JobViewProps): JSX.Element {
  const account = useStore(wallet)?.address;
  const isMine = account?.toLowerCase() === job.client.toLowerCase();
  const computed = useProgress(job.id, job.segment);
  const share = progressOf(job, computed);
  return (
    <>
      <PageHead title={`Job ${job.id}`}>
        <JobStatus status={job.status} />
      </PageHead>
      <Card title="Progress">
        <Bar
          label={`${Math.round(100 * share)}% done`}
          parts={[{ share, tone: isRunning(job.status) ? "accent" : "good" }]}
        />
        <p class="soft">
          {isRunning(job.status) ? (
            <>
              Segment {job.segment + 1} of {job.segments}. It is the turn of {turnOf(job.actor)}, until{" "}
              <Ago time={1000 * Number(job.by)} />.
              {computed !== undefined && <> The worker says that {Math.floor(100 * computed)}% are computed.</>}
            </>
          ) : (
            <>It is over: {reasonText(job.reason)}.</>
          )}
        </p>
      </Card>
      <div class="columns">
        <Card title="Job">
          <Facts
            items={[
              ["Client", <Address key="c" of={job.client} />],
              ["Worker", NOBODY.test(job.worker) ? "nobody yet" : <Address key="w" of={job.worker} />],
              ["Program", <Hash key="p" of={job.program} />],
              ["Tier", job.tier],
              ["Region", textOfBytes(job.region) ?? "anywhere"],
              ["Made", <Time key="m" time={1000 * Number(job.created)} />],
              isRunning(job.status) && ["Ends by", <Time key="d" time={1000 * Number(job.deadline)} />],
            ]}
          />
        </Card>
        <ReceiptCard receipt={receipt} />
      </div>
      {isSettled(job.status) && job.outputs.length > 0 && <JobOutputs job={job} />}
      {isMine && isRunning(job.status) && <Budget job={job} again={again} />}
    </>
  );
}

function ReceiptCard({ receipt }: { readonly receipt: Receipt }): JSX.Element {
  return (
    <Card title="Receipt">
      <Facts
        items={[
          ["Paid", <Amount key="p" wei={receipt.paid} decimals={9} />],
          ["Of it burned", <Amount key="b" wei={receipt.burned} decimals={9} />],
          ["To the treasury", <Amount key="t" wei={receipt.treasury} decimals={9} />],
          ["Verification", <Amount key="v" wei={receipt.verification} decimals={9} />],
          ["Came back", <Amount key="r" wei={receipt.refunded} decimals={9} />],
          ["Checked by", `${receipt.seats} seats${receipt.assurance === 1 ? ", by vote" : ""}`],
          ["They risk", <Amount key="s" wei={receipt.stakeAtRisk} />],
          ["The worker risked", <Amount key="w" wei={receipt.workerAtRisk} />],
          ["A cheat", `who falsified ${formatShare(receipt.corruptibleShare)} passes ${oneIn(receipt.passChance)}`],
          ["Referee", receipt.refereeable ? "the chain can recompute any part" : "not for this program"],
        ]}
      />
    </Card>
  );
}

function Budget({ job, again }: { readonly job: Job; readonly again: () => void }): JSX.Element {
  const [amount, setAmount] = useState("");
  const read = readAmount(amount);
  const send = async (title: string, functionName: string, value = 0n) => {
    if (await sendCall({ title, module: "market", functionName, args: [job.id], value })) again();
  };
  return (
    <Card title="Budget">
      <Facts
        items={[
          ["Left", <Amount key="l" wei={job.budget} />],
          ["Paid so far", <Amount key="p" wei={job.paid} />],
        ]}
      />
      <AmountField
        label="Add to the budget"
        value={amount}
        onChange={setAmount}
        problem={amount === "" || read.ok ? undefined : read.problem}
      />
      <div class="row">
        <Action
          isDisabled={!read.ok || job.source !== 0n}
          run={() => send("More budget", "raiseBudget", read.ok ? read.wei : 0n)}
        >
          Raise
        </Action>
        <Action tone="danger" run={() => send("Cancellation", "cancel")}>
          Cancel the job
        </Action>
      </div>
    </Card>
  );
}
