import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteStore } from "../server/store/sqlite/open-store.ts";
import { planProject } from "./seed/plan-project.ts";
import { writeStore } from "./seed/write-store.ts";

it("writes a store with the requested number of rows, all of them counted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-seed-"));
  const file = join(folder, "store.db");
  await (await openSqliteStore({ file })).close();
  const now = Date.UTC(2026, 0, 31);
  const written = await writeStore(file, planProject(60), { runs: 600, deliveries: 600, now, onProgress() {} });
  const store = await openSqliteStore({ file });

  expect(written.deliveries).toBe(600);
  expect(Math.abs(written.runs - 600)).toBeLessThan(10);
  const [newest] = (await store.listDeliveries({ outcome: "accepted" }, { limit: 1, cursor: null })).data;
  expect(await store.getDelivery(newest?.id ?? "")).toMatchObject({ json: { customer: {} } });
  const runId = newest?.verdicts.find((verdict) => verdict.runId !== null)?.runId ?? "";
  expect(await store.getRun(runId)).toMatchObject({ id: runId, deliveryId: newest?.id, payload: { customer: {} } });
  expect((await store.listTimeline(runId, { after: 0, limit: 10 })).map(({ kind }) => kind)).toContain("queued");
  const counts = await store.countDeliveries({
    since: 0,
    until: now + 3_600_000,
    bucketMs: 3_600_000,
    endpoints: null,
  });
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(600);

  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
