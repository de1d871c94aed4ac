import { type LightTrust, trustFrom, verifyProof } from "../../../chain/light-client/light-client.ts";
import type { NamedChecker } from "./checker.ts";

/** So long that only the rule about sets is at work here; the period has tests of its own. */
const TRUSTING_PERIOD = 1_000_000_000;
const MAX_SKEW = 1_000;

/** So many nodes are followed: with a thousand validators, each step of a client weighs a thousand of them. */
const FOLLOWED = 16;

/** A light client that starts at genesis can follow every honest node by certificates alone. */
export const lightClient: NamedChecker = {
  name: "light-client",
  make: (report, { chainId, crypto, honest }) => {
    const options = { chainId, crypto, trustingPeriod: TRUSTING_PERIOD, maxSkew: MAX_SKEW };
    const [first] = honest;
    const genesis = first?.finals.epoch(0);
    if (genesis === undefined) return {};
    const start: LightTrust = { header: genesis.root, epoch: 0, set: genesis.set };
    const trusts = new Map<number, LightTrust>();
    return {
      onBlock: (node, header, certificate) => {
        if (node.index >= FOLLOWED) return;
        const epoch = node.finals.epoch(certificate.epoch);
        if (header.hash !== certificate.hash || epoch === undefined) return;
        const trust = trusts.get(node.index) ?? start;
        // A node that lost its disk goes the way again.
        if (header.height <= trust.header.height) return;
        if (trust.epoch < certificate.epoch) {
          // A commit that became durable in a crash was not announced: the seal is read from the disk.
          trusts.set(node.index, trustFrom(epoch.root, epoch.root.next ?? [], epoch.number));
          return;
        }
        const validators = epoch.root.next ?? epoch.set.ids.map((id) => ({ id, stake: 100n }));
        const now = node.state?.now ?? 0;
        const light = { ...header, validatorSetHash: epoch.set.hash };
        const result = verifyProof(trust, { header: light, certificate, validators }, now, options);
        if (result.trust !== undefined) trusts.set(node.index, result.trust);
        else report(`node ${node.index}: the light client says ${result.verdict} at height ${header.height}`);
      },
    };
  },
};
