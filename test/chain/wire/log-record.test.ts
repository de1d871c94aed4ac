import { describe, expect, it } from "vitest";
import { consensusBlockOf, genesisConsensusBlock } from "../../../chain/blocks/consensus-block.ts";
import { buildGenesisBlock } from "../../../chain/genesis-block.ts";
import { decodeRecord, encodeRecord } from "../../../chain/wire/log-record.ts";
import { addressed, channelsOf, decodeMessage, encodeMessage } from "../../../chain/wire/node-message.ts";
import { networkSpec } from "../../../genesis/networks.ts";

const block = genesisConsensusBlock(buildGenesisBlock(networkSpec("devnet")).header);

describe("real blocks", () => {
  it("are kept in the log as their bytes, and read back whole", () => {
    const encoded = encodeRecord({ type: "block", block });
    expect(encoded.length).toBeLessThan(block.body.length + 8);
    expect(decodeRecord(encoded)).toEqual({ type: "block", block });
  });

  it("travel as their bytes; one that is not itself is refused as malformed", () => {
    const channels = channelsOf(consensusBlockOf);
    const encoded = encodeMessage(channels, addressed({ type: "block", block }));
    expect(decodeMessage(channels, "data", encoded)).toEqual({ type: "block", block });
    const cut = { ...block, body: block.body.subarray(1) };
    const broken = encodeMessage(channels, addressed({ type: "block", block: cut }));
    expect(() => decodeMessage(channels, "data", broken)).toThrow(expect.objectContaining({ code: "WIRE_INVALID" }));
  });
});
