import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { jsonSchemaObjectSchema } from "../../contract/json.ts";
import { projectOf, triggerOf } from "../../ingest/testing/project.ts";
import { buildTriggerIndex } from "../../matching/trigger-index.ts";
import { openSqliteStore } from "../../store/sqlite/open-store.ts";
import { serve } from "../testing/serve.ts";

const count = 40;
const requestOf = (n: number) => z.object({ type: z.literal(`event.${n}`), amount: z.number() });
const requests = new Map(Array.from({ length: count }, (_, n) => [`t${String(n).padStart(2, "0")}`, requestOf(n)]));
const triggers = [...requests].map(([slug, request]) => triggerOf({ slug, endpoint: "events", request }));
const index = buildTriggerIndex(
  projectOf(triggers).triggers.map(({ slug }) => ({
    request: jsonSchemaObjectSchema.parse(JSON.parse(JSON.stringify(z.toJSONSchema(requests.get(slug) ?? z.never())))),
    filter: null,
  })),
);

async function serveMany({ isIndexed }: { isIndexed: boolean }) {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-many-"));
  const file = join(dir, "signalbox.db");
  const store = await openSqliteStore({ file });
  const reader = new Database(file, { readonly: true });
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
  const verdictsOf = async (id: string) =>
    (await store.getDelivery(id))?.verdicts.map(({ trigger, outcome, reasons }) => ({ trigger, outcome, reasons }));
  /** Deliveries that share their verdicts with others. */
  const countSharing = () =>
    reader.prepare<[], number>("SELECT count(*) FROM delivery WHERE verdict_set IS NOT NULL").pluck().get() ?? 0;
  return { send, verdictsOf, countSharing };
}

test("an endpoint with many triggers keeps for each delivery what every one of them said, as if each had been asked", async () => {
  const [indexed, plain] = [await serveMany({ isIndexed: true }), await serveMany({ isIndexed: false })];
  const bodies = [
    { type: "event.7", amount: 1 },
    { type: "event.8", amount: 2 },
    { type: "event.7", amount: 3 },
    { type: "event.7" },
    { type: "none", amount: 1 },
    { type: 7, amount: 1 },
    [],
  ];
  // Twice: what bodies of a kind have in common is noted the first time.
  for (const body of [...bodies, ...bodies]) {
    const [one, other] = [await indexed.send(body), await plain.send(body)];
    expect(one.status).toBe(other.status);
    const said = await indexed.verdictsOf(one.deliveryId);
    expect(said).toHaveLength(count);
    expect(said).toEqual(await plain.verdictsOf(other.deliveryId));
  }
  expect([indexed.countSharing() > bodies.length, plain.countSharing()]).toEqual([true, 0]);
});

test("a repeat to such an endpoint gets the first answer, to the letter", async () => {
  const { send, verdictsOf } = await serveMany({ isIndexed: true });
  for (const amount of [1, 2, 3]) await send({ type: "event.7", amount });
  const first = await send({ type: "event.9", amount: 1 }, "k");
  const repeat = await send({ type: "event.9", amount: 1 }, "k");
  expect([repeat.isReplay, repeat.status, repeat.text]).toEqual([true, 202, first.text]);
  expect(
    (await verdictsOf(first.deliveryId))?.filter(({ outcome }) => outcome === "matched").map(({ trigger }) => trigger),
  ).toEqual(["t09"]);
});
