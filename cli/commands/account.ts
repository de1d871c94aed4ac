import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu } from "../../base/units.ts";
import { TEST_ACCOUNTS } from "../../rpc/development/test-mnemonic.ts";
import { type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { callQuantity, rpcOption } from "../json-rpc-client.ts";
import { createKeyFile } from "../key-file.ts";
import { columns } from "../table.ts";

const create: Command = defineCommand({
  name: "new",
  summary: "Make a private key and write it to a file",
  args: [{ name: "file", description: "where the key goes; it must not exist" }],
  examples: [{ command: "ogpu account new my.key", description: "then: ogpu send --key-file my.key ..." }],
  async run({ args }, { report }): Promise<ExitCode> {
    const file = args[0] as string;
    const address = checksumAddress(privateKeyToAddress(await createKeyFile(file)));
    report(
      { address, file },
      `${address}\nThe key is in ${file}. Whoever has the file has the account: keep a copy, show nobody.`,
    );
    return 0;
  },
});

const list: Command = defineCommand({
  name: "list",
  summary: "List the devnet's test accounts with what they have",
  details: "Everybody knows the keys of these accounts. Never send them anything on a public network.",
  options: { rpc: rpcOption },
  async run({ options }, { report }): Promise<ExitCode> {
    const { testAccount } = await import("../../rpc/development/test-accounts.ts");
    const indexes = Array.from({ length: TEST_ACCOUNTS }, (_, index) => index);
    const accounts = await Promise.all(
      indexes.map(async (index) => {
        const address = checksumAddress(hexToBytes(testAccount(index).address));
        const wei = await callQuantity(options.rpc, "eth_getBalance", [address, "latest"]);
        return { index, address, wei };
      }),
    );
    const rows = accounts.map(({ index, address, wei }) => [String(index), address, formatOgpu(wei)]);
    report(accounts, columns(["", "address", "oGPU"], rows));
    return 0;
  },
});

export const account: CommandGroup = {
  name: "account",
  summary: "Make a key, or list the devnet's test accounts",
  commands: [create, list],
};
