import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Action, SelectField, TextField } from "../../components/forms.tsx";
import { Badge, Bar, Table } from "../../components/layout.tsx";
import { Ago, Hash } from "../../components/values.tsx";
import { bytesOfText, formatBytes, textOfBytes } from "../../format/hex.ts";
import { sendCall } from "../../wallet/send.ts";
import { busyIntervals, busyShare } from "./activity.ts";
import type { Activity } from "./provider-view.tsx";
import { KINDS, type ProviderFacts } from "./read-provider.ts";

const GIB = 1024n ** 3n;
const NO_BENCHMARK = `0x${"00".repeat(32)}`;
const TIERS = Array.from({ length: 16 }, (_, tier) => [String(tier), `Tier ${tier}`] as const);

interface DeviceTableProps {
  readonly devices: ProviderFacts["devices"];
  readonly activity: Activity | undefined;
  readonly empty: string;
  /** Whoever may remove devices asks for them again. */
  readonly again?: () => void;
}

const HOUR = 3600;

/** Of the last hour. Who has one device does the work of auctions with it; otherwise only its owner knows. */
function busyLately({ events, now }: Activity, device: bigint, isOnly: boolean): number {
  const own = busyIntervals(events, now).filter(
    (each) => each.device === device || (isOnly && each.device === undefined),
  );
  const began = own[0]?.from ?? now;
  return busyShare(own, Math.max(now - HOUR, Math.min(began, now - 60)), now);
}

export function DeviceTable({ devices, activity, empty, again }: DeviceTableProps): JSX.Element {
  const remove = async (id: bigint) => {
    if (
      await sendCall({
        title: `Removal of device ${id}`,
        module: "providers",
        functionName: "removeDevice",
        args: [id],
      })
    )
      again?.();
  };
  return (
    <Table
      label="Devices"
      rows={devices}
      rowKey={({ id }) => String(id)}
      empty={empty}
      columns={[
        { name: "Device", cell: ({ id, kind }) => `${String(id)} · ${KINDS[kind] ?? kind}` },
        { name: "Tier", isNumber: true, cell: ({ tier }) => tier },
        { name: "Memory", isNumber: true, cell: ({ memoryBytes }) => formatBytes(memoryBytes) },
        { name: "Region", cell: ({ region }) => textOfBytes(region) ?? "—" },
        {
          name: "Busy, last hour",
          cell: ({ id }) =>
            activity === undefined ? "—" : <Busy share={busyLately(activity, id, devices.length === 1)} />,
        },
        {
          name: "Self-test",
          cell: ({ benchmark }) =>
            benchmark === NO_BENCHMARK ? (
              <Badge>not reported</Badge>
            ) : (
              <span class="row nowrap">
                <Badge tone="good">passed</Badge> <Hash of={benchmark} />
              </span>
            ),
        },
        { name: "Said", cell: ({ updated }) => <Ago time={1000 * Number(updated)} /> },
        ...(again === undefined
          ? []
          : [
              {
                name: "",
                cell: ({ id }: (typeof devices)[number]) => (
                  <Action isSmall tone="danger" run={() => remove(id)}>
                    Remove
                  </Action>
                ),
              },
            ]),
      ]}
    />
  );
}

function Busy({ share }: { readonly share: number }): JSX.Element {
  const words = `${Math.round(100 * share)}%`;
  return (
    <span class="row nowrap signed">
      <Bar label={`${words} busy`} parts={[{ share }]} />
      {words}
    </span>
  );
}

export function AddDevice({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const [kind, setKind] = useState("2");
  const [tier, setTier] = useState("1");
  const [memory, setMemory] = useState("16");
  const [region, setRegion] = useState("local");
  const isRight = /^\d{1,5}$/.test(memory) && memory !== "0" && /^[\x20-\x7e]{1,16}$/.test(region);
  const add = async () => {
    const args = [Number(kind), BigInt(memory) * GIB, Number(tier), bytesOfText(region, 16), 0n, NO_BENCHMARK];
    if (await sendCall({ title: "New device", module: "providers", functionName: "addDevice", args })) onDone();
  };
  return (
    <div class="card-body form">
      <div class="form-row">
        <SelectField
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[
            ["1", "CPU"],
            ["2", "CUDA GPU"],
          ]}
        />
        <SelectField label="Compute tier" value={tier} onChange={setTier} options={TIERS} />
        <TextField label="Memory in GiB" value={memory} onChange={setMemory} />
        <TextField label="Region" value={region} onChange={setRegion} hint="Up to 16 letters" />
      </div>
      <div class="row">
        <Action run={add} isDisabled={!isRight}>
          Add device
        </Action>
        <span class="soft small">The agent on the machine reports its self-test when it joins.</span>
      </div>
    </div>
  );
}
