import { bytesToHex } from "../../base/bytes.ts";
import { headerTime } from "../../chain/blocks/header.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN, HASH, INTEGER, objectOf, orNull, QUANTITY, TEXT } from "../schema.ts";

export const ogpuStatus: RpcMethod = defineMethod({
  name: "ogpu_status",
  summary: "What the node is and where it stands.",
  result: objectOf({
    network: TEXT,
    chainId: QUANTITY,
    development: BOOLEAN,
    clientVersion: TEXT,
    role: { enum: ["validator", "follower"] },
    validator: orNull(INTEGER),
    epoch: INTEGER,
    view: INTEGER,
    head: objectOf({ number: QUANTITY, hash: HASH, milliseconds: INTEGER }),
    oldestBlock: QUANTITY,
    archive: BOOLEAN,
    peers: INTEGER,
  }),
  parameters: [],
  run: async ({ chain, clientVersion, wait }) => {
    const { role, validator, epoch, view, peers } = await wait(Promise.resolve(chain.status()));
    const { spec, head, base, isArchive } = chain;
    return {
      network: spec.name,
      chainId: quantityText(spec.chainId),
      development: spec.development,
      clientVersion,
      role,
      validator: validator ?? null,
      epoch,
      view,
      head: {
        number: quantityText(head.header.number),
        hash: bytesToHex(head.hash),
        milliseconds: headerTime(head.header),
      },
      oldestBlock: quantityText(base === 0 ? 0 : base + 1),
      archive: isArchive,
      peers: peers.length,
    };
  },
});
