import { expect, it, vi } from "vitest";
import { oncePerTurn } from "./once-per-turn.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("asks once for each key in one turn of the event loop, and again in the next", async () => {
  let calls = 0;
  const ask = async (key: string) => `${key} in call ${(calls += 1)}`;
  const once = oncePerTurn(ask);
  expect(await Promise.all([once("a"), once("a"), once("b"), once("a")])).toEqual([
    "a in call 1",
    "a in call 1",
    "b in call 2",
    "a in call 1",
  ]);
  await nextTurn();
  expect(await once("a")).toBe("a in call 3");
});

it("does not remember a failure any longer", async () => {
  const ask = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("away")).mockResolvedValue("back");
  const once = oncePerTurn(ask);
  await expect(once("a")).rejects.toThrow("away");
  await nextTurn();
  expect(await once("a")).toBe("back");
});
