import { expect, test } from "vitest";
import { createLeaseTrust } from "./recovery.ts";

function aTrust() {
  let time = 50_000;
  const trust = createLeaseTrust({ leaseMs: 12_000, now: () => time });
  return { trust, pass: (ms: number) => void (time += ms) };
}

test("a new process treats no lease as expired before all processes could renew theirs", () => {
  const { trust, pass } = aTrust();
  expect(trust.mayTrust()).toBe(false);
  pass(11_999);
  expect(trust.mayTrust()).toBe(false);
  pass(1);
  expect(trust.mayTrust()).toBe(true);
});

test("after the store was unreachable, every worker has the duration of a lease to renew its own", async () => {
  const { trust, pass } = aTrust();
  pass(60_000);
  await expect(trust.watch(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(trust.mayTrust()).toBe(false);
  pass(12_000);
  expect(trust.mayTrust()).toBe(true);
});

test("the same applies after a slow answer of the store; a fast answer changes nothing", async () => {
  const { trust, pass } = aTrust();
  pass(60_000);
  expect(await trust.watch(() => Promise.resolve(pass(4_000)).then(() => "soon"))).toBe("soon");
  expect(trust.mayTrust()).toBe(true);
  await trust.watch(() => Promise.resolve(pass(4_001)));
  expect(trust.mayTrust()).toBe(false);
});
