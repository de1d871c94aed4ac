import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { readContract } from "viem/actions";
import { Action, NeedsWallet, SelectField } from "../../components/forms.tsx";
import { Answer, Card, Empty, Facts, Table } from "../../components/layout.tsx";
import { Address, Amount, Hash } from "../../components/values.tsx";
import { formatCount } from "../../format/amounts.ts";
import { formatDuration } from "../../format/times.ts";
import { formatRoute } from "../../router/route.ts";
import { market } from "../../state/modules.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { useStore } from "../../state/use-store.ts";
import { sendCall } from "../../wallet/send.ts";
import { wallet } from "../../wallet/wallet.ts";
import { InputsField, isAddress } from "./inputs-field.tsx";
import { ProgramFacts } from "./program-facts.tsx";
import { readSources, readSummary, type Source } from "./read-market.ts";
import { submitTask } from "./tasks.ts";

interface TaskFormProps {
  /** The source that it begins with. */
  readonly first: bigint | undefined;
  /** Where a new source is made. */
  readonly onNew: () => void;
}

export function TaskForm({ first, onNew }: TaskFormProps): JSX.Element {
  const query = useQuery("sources", () => readSources().catch(() => []), true);
  const [chosen, setChosen] = useState<string | undefined>(first === undefined ? undefined : String(first));
  return (
    <Answer query={query}>
      {(sources) => {
        const source = sources.find(({ id }) => String(id) === chosen) ?? sources[0];
        return (
          <>
            <Card title="Submit a task">
              {source === undefined ? (
                <Empty title="No source takes tasks.">
                  Whoever offers a service makes one from a model, a kernel or a program.{" "}
                  <button type="button" class="button small" onClick={onNew}>
                    Make a source
                  </button>
                </Empty>
              ) : (
                <div class="form">
                  <SelectField
                    label="Source"
                    value={String(source.id)}
                    onChange={setChosen}
                    options={sources.map(({ id, program, tier, members }) => [
                      String(id),
                      `${id}: ${program.slice(0, 12)}…, tier ${tier}, ${members} members`,
                    ])}
                  />
                  <SourceTask key={String(source.id)} source={source} />
                </div>
              )}
            </Card>
            {sources.length > 0 && <SourceTable sources={sources} again={query.again} onNew={onNew} />}
          </>
        );
      }}
    </Answer>
  );
}

interface SourceTableProps {
  readonly sources: readonly Source[];
  readonly again: () => void;
  readonly onNew: () => void;
}

function SourceTable({ sources, again, onNew }: SourceTableProps): JSX.Element {
  const account = useStore(wallet)?.address.toLowerCase();
  const close = async (id: bigint) => {
    const call = { title: `Closing of source ${id}`, module: "market", functionName: "closeSource", args: [id] };
    if (await sendCall(call)) again();
  };
  return (
    <Card
      title="Sources"
      flush
      action={
        <button type="button" class="button small" onClick={onNew}>
          Make a source
        </button>
      }
    >
      <Table
        label="Sources"
        rows={sources}
        rowKey={({ id }) => String(id)}
        empty=""
        columns={[
          { name: "Source", cell: ({ id }) => String(id) },
          { name: "Owner", cell: ({ owner }) => <Address of={owner} /> },
          { name: "Program", cell: ({ program }) => <Hash of={program} /> },
          { name: "Tier", isNumber: true, cell: ({ tier }) => tier },
          { name: "Members", isNumber: true, cell: ({ members, idle }) => `${members} (${idle} idle)` },
          { name: "Tasks", isNumber: true, cell: ({ tasks }) => formatCount(tasks) },
          { name: "A task costs", isNumber: true, cell: ({ total }) => <Amount wei={total} decimals={6} /> },
          {
            name: "",
            cell: ({ id, owner }) =>
              owner.toLowerCase() === account ? (
                <Action isSmall tone="danger" run={() => close(id)}>
                  Close
                </Action>
              ) : null,
          },
        ]}
      />
    </Card>
  );
}

function SourceTask({ source }: { readonly source: Source }): JSX.Element {
  const [inputs, setInputs] = useState<readonly string[]>([]);
  const summary = useQuery(`program ${source.program}`, () => readSummary(source.program));
  const quote = useQuery(
    `quote ${source.id}`,
    async () => {
      const [price, verification, total, lock] = await readContract(node, {
        ...market,
        functionName: "quoteTask",
        args: [source.id],
      });
      return { price, verification, total, lock };
    },
    true,
  );
  const submit = async () => {
    const job = await submitTask(source.id, inputs);
    if (job !== undefined) location.hash = formatRoute({ page: "job", id: String(job) });
  };
  return (
    <Answer query={summary}>
      {(program) => (
        <>
          <ProgramFacts program={source.program} />
          <InputsField summary={program} inputs={inputs} onChange={setInputs} />
          <Answer query={quote}>
            {({ price, verification, total, lock }) => (
              <>
                <Facts
                  items={[
                    ["Price", <Amount key="p" wei={price} decimals={9} />],
                    [
                      "Verification",
                      <span key="v">
                        <Amount wei={verification} decimals={9} /> for {source.seats} seats
                      </span>,
                    ],
                    ["In all", <Amount key="t" wei={total} decimals={9} />],
                    [
                      "Set aside",
                      <span key="l">
                        <Amount wei={lock} decimals={9} />, which comes back
                      </span>,
                    ],
                    [
                      "Time",
                      `${formatDuration(1000 * Number(source.taskSeconds))} for racers, ${formatCount(source.waiting)} tasks wait before it`,
                    ],
                  ]}
                />
                <NeedsWallet what="submit it" />
                <div class="row">
                  <Action run={submit} isDisabled={!program.inputs.every((_, index) => isAddress(inputs[index]))}>
                    Submit for <Amount wei={total} decimals={6} />
                  </Action>
                </div>
              </>
            )}
          </Answer>
        </>
      )}
    </Answer>
  );
}
