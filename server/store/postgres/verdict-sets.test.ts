import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import type { VerdictOutcome } from "../../contract/delivery.ts";
import { aDelivery, epoch } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { sharedVerdictsSql, verdictsWithShared } from "../testing/shared-verdicts.ts";
import { openPostgresStore } from "./open-store.ts";

vi.setConfig({ testTimeout: 60_000 });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
}, 300_000);
afterAll(() => server.stop());

it("deliveries that an earlier version stored with a shared list read the same, are found and are counted", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  try {
    const [plain, deviating] = [aDelivery(), aDelivery()];
    for (const [delivery, deviates] of [
      [plain, false],
      [deviating, true],
    ] as const) {
      await store.recordDelivery(delivery);
      await askPostgres(url, sharedVerdictsSql("postgres", { deliveryId: delivery.id, deviates }));
    }
    expect((await store.getDelivery(plain.id))?.verdicts).toEqual(verdictsWithShared());
    const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
    expect(data.find(({ id }) => id === deviating.id)?.verdicts).toEqual(verdictsWithShared({ deviates: true }));
    const by = async (trigger: string, outcome: VerdictOutcome) =>
      (await store.listDeliveries({ verdict: { trigger, outcomes: [outcome] } }, { limit: 10, cursor: null })).data.map(
        ({ id }) => id,
      );
    expect(await by("stopped-0", "filter_mismatch")).toHaveLength(2);
    expect(await by("stopped-1", "filter_mismatch")).toEqual([plain.id]);
    expect(await by("stopped-1", "request_mismatch")).toEqual([deviating.id]);
    const window = { since: epoch, until: epoch + 3_600_000, bucketMs: 60_000, endpoints: ["signup"] } as const;
    const counted = async () => {
      const { verdicts } = await store.countVerdicts(window);
      return verdicts.map(({ attachmentId, outcome, count }) => `${attachmentId} ${outcome} ${count}`).sort();
    };
    const all = [
      "open:x matched 2",
      "stopped-0:x filter_mismatch 2",
      "stopped-1:x filter_mismatch 1",
      "stopped-1:x request_mismatch 1",
      "stopped-2:x filter_mismatch 2",
    ];
    expect(await counted()).toEqual(all);
    await vi.waitFor(async () => expect(await askPostgres(url, "SELECT 1 FROM traffic_log")).toEqual([]), {
      timeout: 20_000,
      interval: 200,
    });
    expect(await counted()).toEqual(all);
    expect(await store.removeUnusedVerdicts()).toBe(0);
    await askPostgres(url, "DELETE FROM delivery");
    expect(await store.removeUnusedVerdicts()).toBe(1);
  } finally {
    await store.close();
  }
});
