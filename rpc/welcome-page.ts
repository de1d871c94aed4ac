/** What a person sees who opens the RPC's address in a browser. */
import { formatOgpu } from "../base/units.ts";
import { headerTime } from "../chain/blocks/header.ts";
import { readSupply } from "../vm/modules/token/token.ts";
import type { ChainReads } from "./chain-view.ts";

export function welcomePage(chain: ChainReads, url: string): string {
  const { spec, head } = chain;
  const number = Number(head.header.number);
  const { genesis, minted, burned } = readSupply(chain.stateAt(number));
  const rows: readonly (readonly [string, string])[] = [
    ["Network", spec.name],
    ["Chain id", `${spec.chainId} (0x${spec.chainId.toString(16)})`],
    ["Height", String(number)],
    ["Last block", new Date(headerTime(head.header)).toISOString()],
    ["Supply", `${formatOgpu(genesis + minted - burned)} oGPU of at most ${formatOgpu(spec.modules.token.cap)}`],
    ["Currency", "oGPU, 18 decimals"],
    ["RPC address", url],
  ];
  const table = rows.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join("\n");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>OpenGPU node: ${escaped(spec.name)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
th { text-align: left; padding-right: 2rem; font-weight: 600; }
pre { background: #8881; padding: 1rem; overflow-x: auto; }
:root { color-scheme: light dark; }
</style>
<h1>OpenGPU node</h1>
<p>This is the JSON-RPC address of a node of the <strong>${escaped(spec.name)}</strong> chain.</p>
<table>
${table}
</table>
<h2>Connect</h2>
<p>In a wallet, add a network with the address, chain id and currency above. From a program:</p>
<pre>curl ${escaped(url)} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'</pre>
</html>
`;
}

/** The host of the address comes from the request. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
