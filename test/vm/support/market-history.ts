/** One random history of the market, checked after every step, and to its very end. */
import { expect } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { MARKET_ADDRESS, PROVIDERS_ADDRESS, TRUST_LOCK_ADDRESS } from "../../../vm/modules/addresses.ts";
import { ACCOUNT_BALANCE } from "./economy-chain.ts";
import { MarketBookkeeper } from "./market-bookkeeper.ts";
import { MARKET, MarketChain, PROVIDERS, TRUST_LOCK } from "./market-chain.ts";
import { CATCHER, MarketPeople } from "./market-people.ts";

function peopleOf(seed: string): MarketPeople {
  const parameters = { pricing: { minCharge: OGPU / 50n }, market: { revealSeconds: 30n, segmentSeconds: 30n } };
  const chain = new MarketChain({ parameters });
  const { victimShare, catcherShare, demandBond: bond, seatFee } = chain.spec.modules.market;
  const seatCost = (job: bigint): bigint => BigInt(chain.job(job).seats) * seatFee;
  return new MarketPeople(chain, new MarketBookkeeper({ seatCost, victimShare, catcherShare, bond }), seed);
}

/** After every step. */
function check({ chain, books }: MarketPeople): void {
  books.check();
  const held = chain.view(MARKET, "totalEscrow", []);
  expect(chain.balance(MARKET_ADDRESS)).toBe(held);
  expect(books.held).toBe(held);
  expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(chain.view(TRUST_LOCK, "totalLocked", []));
  expect(chain.balance(CATCHER.address)).toBe(ACCOUNT_BALANCE + (books.caught.get(CATCHER.address) ?? 0n));
  expect(chain.balance(PROVIDERS_ADDRESS)).toBe(chain.view(PROVIDERS, "totalCollateral", []));
}

/** When everybody has stopped and all timeouts are over: no job is open, and nothing of anybody is held. */
function checkEnd({ chain, books, account }: MarketPeople): void {
  expect(books.open.map((job) => chain.job(job))).toEqual([]);
  const tips = [...books.jobs.values()].reduce((sum, { tip }) => sum + tip, 0n);
  expect(chain.view(MARKET, "totalEscrow", [])).toBe(tips);
  for (let index = 0; index < 10; index++) {
    const { address } = account(index);
    expect(chain.view(PROVIDERS, "providerOf", [address]).reserved).toBe(0n);
    expect(chain.view(TRUST_LOCK, "accountOf", [address])[2]).toBe(0n);
  }
}

export function runHistory(seed: string, steps: number): MarketPeople {
  const people = peopleOf(seed);
  people.start();
  for (let step = 0; step < steps; step++) {
    people.step();
    check(people);
  }
  people.finish();
  check(people);
  checkEnd(people);
  return people;
}
