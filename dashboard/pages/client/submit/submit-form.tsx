/** A program that is ready: what having it computed costs, and the steps until it is a job. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { decodeProgram } from "../../../../compute/program/codec.ts";
import { fuelOf } from "../../../../compute/program/draw-place.ts";
import { launchesIn } from "../../../../compute/program/schedule.ts";
import type { Program } from "../../../../compute/program/types.ts";
import { Action, SelectField } from "../../../components/forms.tsx";
import { Answer, Facts, Notice } from "../../../components/layout.tsx";
import { Amount, Hash } from "../../../components/values.tsx";
import { formatCount } from "../../../format/amounts.ts";
import { formatBytes } from "../../../format/hex.ts";
import { formatRoute } from "../../../router/route.ts";
import { useQuery } from "../../../state/use-query.ts";
import { AssuranceField } from "../assurance-field.tsx";
import type { ContentFile, ProgramFile } from "../content-file.ts";
import { InputsField, isAddress } from "../inputs-field.tsx";
import { bringAll, publish, transactionsFor } from "../publish.ts";
import type { Published } from "../published.ts";
import { createSource, sourceFor, submitTask } from "../tasks.ts";
import { readQuote } from "./quote.ts";
import { QuoteFacts } from "./quote-facts.tsx";

interface SubmitFormProps {
  readonly program: ProgramFile;
  readonly onAuction: (published: Published) => void;
  readonly onSource: (source: bigint) => void;
}

const TIERS = Array.from({ length: 16 }, (_, tier) => [String(tier), `Tier ${tier}`] as const);
const RACERS = [1, 2, 3, 4, 5, 6, 7, 8].map(
  (count) => [String(count), count === 1 ? "1 worker" : `${count} workers`] as const,
);

function decoded(bytes: Uint8Array): Program | string {
  try {
    return decodeProgram(bytes);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function SubmitForm(props: SubmitFormProps): JSX.Element {
  const { program } = props;
  const made = useMemo(() => decoded(program.bytes), [program]);
  if (typeof made === "string") return <Notice tone="bad">{`${program.name} is no program: ${made}.`}</Notice>;
  return <Terms {...props} decodedProgram={made} />;
}

interface TermsProps extends SubmitFormProps {
  readonly decodedProgram: Program;
}

function Terms({ program, decodedProgram, onAuction, onSource }: TermsProps): JSX.Element {
  const [tier, setTier] = useState("0");
  const [racers, setRacers] = useState("2");
  const [seats, setSeats] = useState(3);
  const [inputs, setInputs] = useState<readonly string[]>(() => program.inputs.map((input) => input?.address ?? ""));
  const [step, setStep] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const lengths = decodedProgram.buffers.flatMap(({ kind, bytes }) => (kind === "input" ? [BigInt(bytes)] : []));
  const launches = launchesIn(decodedProgram.steps);
  const words = { computeUnits: fuelOf(decodedProgram, { first: 0, end: launches }), tier: Number(tier), seats };
  const query = useQuery(`quote ${program.address} ${tier} ${seats}`, () => readQuote(words), true);
  const terms = { program: program.address, tier: words.tier, racers: Number(racers), seats };
  const isReady = lengths.every((_, index) => isAddress(inputs[index]));

  const prepare = async (): Promise<boolean> => {
    const files = [
      ...program.inputs.filter((input): input is ContentFile => input !== undefined),
      ...program.constants,
    ];
    const refusal = await bringAll(files, setStep);
    setProblem(refusal);
    if (refusal !== undefined) return false;
    setStep("Publishing the program");
    return await publish(program);
  };
  /** Whatever comes of it, nothing is going on afterwards. */
  const going = (run: () => Promise<void>) => async () => {
    await run().finally(() => setStep(undefined));
  };
  const submit = going(async () => {
    if (!(await prepare())) return;
    setStep("Finding a source for it, or making one");
    const source = await sourceFor(terms);
    if (source === undefined) return;
    setStep("Submitting the task");
    const job = await submitTask(source, inputs);
    if (job !== undefined) location.hash = formatRoute({ page: "job", id: String(job) });
  });
  const auction = going(async () => {
    if (await prepare()) onAuction({ program: program.address, inputs });
  });
  const offer = going(async () => {
    if (!(await prepare())) return;
    setStep("Making a source");
    const source = await createSource(terms);
    if (source !== undefined) onSource(source);
  });
  return (
    <>
      <Facts
        items={[
          ["Program", program.name],
          ["Content address", <Hash key="a" of={program.address} />],
          ["Work", `${formatCount(launches)} launches, ${formatCount(words.computeUnits)} compute units`],
          [
            "Size",
            `${formatBytes(program.bytes.length)}, ${formatCount(transactionsFor(program.bytes))} transactions to publish`,
          ],
        ]}
      />
      {program.inputs.length < lengths.length || program.inputs.includes(undefined) ? (
        <InputsField summary={{ inputs: lengths }} inputs={inputs} onChange={setInputs} />
      ) : null}
      <div class="form-row">
        <SelectField label="Compute tier" value={tier} onChange={setTier} options={TIERS} hint="Of the hardware" />
        <SelectField
          label="Race"
          value={racers}
          onChange={setRacers}
          options={RACERS}
          hint="The first right result is paid"
        />
      </div>
      <AssuranceField seats={seats} onChange={setSeats} />
      <Answer query={query}>
        {(quote) => (
          <>
            <QuoteFacts quote={quote} tier={words.tier} />
            <div class="row">
              <Action run={submit} isDisabled={!isReady || step !== undefined}>
                Submit for <Amount wei={quote.total} decimals={6} />
              </Action>
              <Action tone="plain" run={auction} isDisabled={step !== undefined}>
                Auction it instead
              </Action>
              <Action tone="plain" run={offer} isDisabled={step !== undefined}>
                Make a source of it
              </Action>
            </div>
          </>
        )}
      </Answer>
      {step !== undefined && (
        <p class="soft" role="status">
          {step}…
        </p>
      )}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </>
  );
}
