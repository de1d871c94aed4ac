/** docs/spec/parameters.md, made from the table of the economy's parameters and the networks' specs. */
import { amountText } from "../../../genesis/amount.ts";
import {
  ECONOMY,
  type NamedParameter,
  PARAMETERS,
  type ParameterUnit,
  parameterValue,
} from "../../../genesis/economy.ts";
import { NETWORK_NAMES, networkSpec } from "../../../genesis/networks.ts";

const specs = NETWORK_NAMES.map((name) => networkSpec(name).modules);

const HEAD = `# Parameters of the economy

<!-- Made by test/genesis/parameters-page.test.ts from genesis/economy.ts and genesis/specs: change those, then run it with -u. -->

The chain spec gives their first values (\`modules\`), and a proposal of [governance](governance.md) changes them while the
chain runs. The bounds below, and what must hold among them, are verified by one function for both
(\`genesis/verify-economy.ts\`). Anybody reads them by \`parameter(name)\` of the governance module. The supply's cap and the
schedule of emission are no parameters: nobody changes them.

Amounts are wei on chain, shares are millionths, seconds are of protocol time.

## What must hold among them

- Unbonding lasts longer than the evidence window and, on a network that is not for development, than the trusting period
  of light clients.
- The reporter's and the treasury's share of a slash are at most the whole together, the reporter's at most half.
- A double signature costs more than an absence.
- A unit of a verifier's stake is at most a verifier's least stake.
- The threshold of a vote is at least half.
- A vote of verification can be decided: its lead is at most the seats that it may draw.
- A verifier that leaves is liable for longer than an undisputed round takes.
- Victim, catcher and treasury get at most the whole of a penalty of the market, victim and catcher at most four fifths.
- A canary's prize is at most the budget of an epoch.
`;

export function parametersPage(): string {
  return [HEAD, ...Object.keys(ECONOMY).map(section)].join("\n");
}

function section(module: string): string {
  const rows = PARAMETERS.filter((parameter) => parameter.module === module).map(row);
  const columns = ["parameter", "what it is", "from", "to", ...NETWORK_NAMES];
  return [`## ${module}\n`, line(columns), line(columns.map(() => "---")), ...rows, ""].join("\n");
}

function row(parameter: NamedParameter): string {
  const { name, definition } = parameter;
  const { unit, least, most, about } = definition;
  const values = specs.map((economy) => text(parameterValue(economy, parameter), unit));
  return line([`\`${name}\``, about, text(least, unit), text(most, unit), ...values]);
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function text(value: bigint, unit: ParameterUnit): string {
  if (unit === "amount") return amountText(value);
  if (unit === "share") return `${Number(value) / 10_000} %`;
  return unit === "seconds" ? duration(value) : value.toLocaleString("en-US");
}

/** In the largest unit that makes it a whole number. */
function duration(seconds: bigint): string {
  const units = [
    ["d", 86_400n],
    ["h", 3_600n],
    ["min", 60n],
  ] as const;
  const fitting = units.find(([, length]) => seconds % length === 0n);
  return fitting === undefined ? `${seconds} s` : `${seconds / fitting[1]} ${fitting[0]}`;
}
