import { expect, it, onTestFinished } from "vitest";
import type { VerdictOutcome } from "../contract/delivery.ts";
import { type Manifest, manifestTriggerSchema } from "../contract/project/manifest.ts";
import { readAlertRules } from "../contract/project/settings.ts";
import { newId } from "../domain/ids.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { openMemoryStore } from "../store/sqlite/open-store.ts";
import { aDelivery, aVerdict, epoch } from "../store/testing/factories.ts";
import { z } from "zod";
import { evaluateAlerts } from "./evaluate-alerts.ts";

const source = triggerOf({ slug: "shipped", endpoint: "orders", target: null, request: z.object({}) });
const manifest: Manifest = {
  ...projectOf([]).manifest,
  triggers: [
    manifestTriggerSchema.parse({
      ...source,
      file: "triggers/shipped.ts",
      module: "code/triggers/shipped.mjs",
      hasTransform: false,
      request: {},
      filter: null,
      rateLimit: null,
      onMismatch: null,
    }),
  ],
};

it.each([
  ["matched", []],
  ["request_mismatch", ["mismatches"]],
] as const)("deliveries whose only trigger has no target, and is %s, open the alerts %j", async (outcome, kinds) => {
  const store = openMemoryStore({ clock: { now: () => epoch } });
  onTestFinished(() => store.close());
  for (let n = 0; n < 30; n += 1) await store.acceptDelivery(deliveryWith(outcome, n));
  await evaluateAlerts({
    store,
    rules: readAlertRules({}),
    destinations: { webhook: null, slack: null },
    manifest,
    readDisks: async () => [],
    others: [],
    everyMs: 0,
    now: epoch,
  });
  const { data } = await store.listAlerts({}, { limit: 10, cursor: null });
  expect(data.map(({ kind }) => kind)).toEqual(kinds);
});

function deliveryWith(outcome: VerdictOutcome, n: number) {
  const delivery = aDelivery({
    id: newId("dlv", epoch - 1000 - n),
    receivedAt: epoch - 1000 - n,
    endpoint: "orders",
    outcome: "skipped",
    responseStatus: 200,
    verdicts: [aVerdict({ trigger: "shipped", attachmentId: "shipped", target: null, outcome })],
  });
  return { delivery, runs: [], idempotency: null };
}
