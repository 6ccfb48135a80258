import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openStored } from "../../../../scripts/open-stored.ts";
import { jsonSchemaObjectSchema } from "../../../contract/json.ts";
import { projectOf, triggerOf } from "../../../ingest/testing/project.ts";
import { buildTriggerIndex } from "../../../matching/index/trigger-index.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { serve } from "../../testing/serve.ts";

const count = 60;
const requestOf = (n: number) => z.object({ type: z.literal(`event.${n}`), amount: z.number() });
const requests = new Map(Array.from({ length: count }, (_, n) => [`t${String(n).padStart(2, "0")}`, requestOf(n)]));
const triggers = [...requests].map(([slug, request]) => triggerOf({ slug, endpoint: "events", request }));
const index = buildTriggerIndex(
  projectOf(triggers).triggers.map(({ slug }) => ({
    request: jsonSchemaObjectSchema.parse(JSON.parse(JSON.stringify(z.toJSONSchema(requests.get(slug) ?? z.never())))),
    filter: null,
  })),
);

const others = (actual: string | null, unlisted: number) => [
  { outcome: "request_mismatch", pointer: "/type", actual, count: unlisted },
];

async function serveMany({ isIndexed }: { isIndexed: boolean }) {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-many-"));
  const file = join(dir, "signalbox.db");
  const store = await openSqliteStore({ file });
  const reader = openStored(file);
  const served = await serve({ triggers, store, indexes: isIndexed ? new Map([["events", index]]) : new Map() });
  onTestFinished(async () => {
    await served.close(0);
    reader.close();
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const send = async (body: unknown, key?: string) => {
    const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) };
    const response = await fetch(`${served.url}/triggers/events`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      isReplay: response.headers.get("idempotent-replayed") === "true",
      deliveryId: response.headers.get("signalbox-delivery") ?? "",
      text: await response.text(),
    };
  };
  const verdictsOf = async (id: string) => {
    const { verdicts = [], unlistedVerdicts = [] } = (await store.getDelivery(id)) ?? {};
    return { verdicts: verdicts.map((verdict) => ({ ...verdict, runId: null })), unlistedVerdicts };
  };
  /** The size of the stored verdicts of a delivery. */
  const bytesOf = (id: string) =>
    reader.prepare<[string], number>("SELECT length(verdicts) FROM stored_delivery WHERE id = ?").pluck().get(id) ?? 0;
  return { send, verdictsOf, bytesOf };
}

test("a delivery to an endpoint with many triggers lists what could match, and counts the others", async () => {
  const [indexed, plain] = [await serveMany({ isIndexed: true }), await serveMany({ isIndexed: false })];
  const bodies = [
    { type: "event.7", amount: 1 },
    { type: "event.8", amount: 2 },
    { type: "event.7" },
    { type: "none", amount: 1 },
    { type: 7, amount: 1 },
    [],
  ];
  const listed = [];
  for (const body of bodies) {
    const [one, other] = [await indexed.send(body), await plain.send(body)];
    expect(one.status).toBe(other.status);
    const { verdicts, unlistedVerdicts } = await indexed.verdictsOf(one.deliveryId);
    // Without an index all are evaluated, and the 50 nearest listed.
    const evaluated = await plain.verdictsOf(other.deliveryId);
    expect(evaluated.verdicts).toEqual(expect.arrayContaining(verdicts));
    for (const { verdicts: some, unlistedVerdicts: others } of [{ verdicts, unlistedVerdicts }, evaluated])
      expect(some.length + others.reduce((sum, one) => sum + one.count, 0)).toBe(count);
    listed.push([verdicts.map(({ trigger, outcome }) => `${trigger} ${outcome}`), unlistedVerdicts]);
    // Of ten triggers, every verdict is listed.
    expect(indexed.bytesOf(one.deliveryId)).toBeLessThan(10 * 200);
  }
  expect(listed).toEqual([
    [["t07 matched"], others('"event.7"', count - 1)],
    [["t08 matched"], others('"event.8"', count - 1)],
    [["t07 request_mismatch"], others('"event.7"', count - 1)],
    [[], others('"none"', count)],
    [[], others("7", count)],
    [[], others(null, count)],
  ]);
});

test("a repeat to such an endpoint gets exactly the first response", async () => {
  const { send, verdictsOf } = await serveMany({ isIndexed: true });
  for (const amount of [1, 2, 3]) await send({ type: "event.7", amount });
  const first = await send({ type: "event.9", amount: 1 }, "k");
  const repeat = await send({ type: "event.9", amount: 1 }, "k");
  expect([repeat.isReplay, repeat.status, repeat.text]).toEqual([true, 202, first.text]);
  const { verdicts } = await verdictsOf(first.deliveryId);
  expect(verdicts.filter(({ outcome }) => outcome === "matched").map(({ trigger }) => trigger)).toEqual(["t09"]);
});
