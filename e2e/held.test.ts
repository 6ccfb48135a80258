import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { DeliverySummary, ReleaseBatch, ReleasedDelivery } from "../server/contract/delivery.ts";
import type { RunSummary } from "../server/contract/run.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const trigger = (number: string) => `
  import { defineEndpoint } from "signalbox/trigger";
  import { z } from "zod";
  import packOrder from "../workflows/pack-order";
  export default defineEndpoint({ endpoint: "orders", onMismatch: "hold" })
    .source({ slug: "order-paid", request: z.object({ number: ${number} }) })
    .attach({ workflow: packOrder });`;

/** One run at a time. None reaches its step before the file `go-on` exists, so most released runs have not started. */
const project = {
  "triggers/order-paid.ts": trigger("z.string()"),
  "workflows/pack-order.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "pack-order",
      input: z.object({ number: z.union([z.string(), z.number()]) }),
      concurrency: 1,
      async run({ number }, ctx) {
        appendFileSync("started.log", number + "\\n");
        while (!existsSync("go-on")) await new Promise((resolve) => setTimeout(resolve, 20));
        await ctx.step("pack", () => appendFileSync("packed.log", number + "\\n"));
      },
    });`,
};

const count = 40;

it("a deployed service that is killed while it releases held deliveries starts each of their runs once", async () => {
  const projectDir = writeProject(project);
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  const build = () => expect(cli("build")).toMatchObject({ status: 0 });
  const lines = (file: string) =>
    existsSync(join(projectDir, file)) ? readFileSync(join(projectDir, file), "utf8").trim().split("\n") : [];

  build();
  const strict = await startService({ projectDir, command: "start" });
  const sender = new URL(cli("triggers", "url", "order-paid").stdout.trim());
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const response = await postJson(strict.url + sender.pathname + sender.search, { number });
    expect([response.status, await response.json()]).toEqual([202, { ok: true, held: true }]);
    ids.push(response.headers.get("signalbox-delivery") ?? "");
  }
  const { secret } = JSON.parse(
    cli("keys", "create", "--api", "--scope", "admin", "--name", "ci", "--json").stdout,
  ) as { secret: string };
  const headers = { authorization: `Bearer ${secret}` };
  const tooEarly = JSON.parse(cli("deliveries", "release", "--all", "--dry-run", "--json").stdout) as unknown;
  expect(tooEarly).toMatchObject({ dryRun: true, released: 0, held: count, failed: 0 });
  expect(cli("deliveries", "explain", ids[0] ?? "").stdout).toContain("/number: expected a string, got 0");
  const doctor = cli("doctor", "orders");
  expect([doctor.status, doctor.stdout]).toEqual([
    1,
    expect.stringContaining("✗ deliveries: 0 of the last 20 accepted"),
  ]);
  // A path that is nearly right: with a valid key, the response names the endpoint.
  const newKey = { kind: "webhook", name: "shop", endpoints: null, expiresAt: null };
  const key = (await (await postJson(`${strict.url}/api/v1/keys`, newKey, headers)).json()) as { secret: string };
  const near = await postJson(`${strict.url}/triggers/order`, {}, { "x-api-key": key.secret });
  expect([near.status, await near.json()]).toEqual([
    404,
    expect.objectContaining({ code: "unknown_endpoint", detail: expect.stringContaining('Did you mean "orders"?') }),
  ]);
  expect((await postJson(`${strict.url}/triggers/order`, {})).status).toBe(401);
  const metrics = await (await fetch(`${strict.url}/metrics`, { headers })).text();
  expect(metrics).toContain(`signalbox_deliveries_total{endpoint="orders",outcome="held",status="202"} ${count}`);
  expect(await strict.stop()).toBe(0);

  writeFileSync(join(projectDir, "triggers/order-paid.ts"), trigger("z.number()"));
  build();
  const killed = await startService({ projectDir, command: "start" });
  const release = async (id: string) =>
    (await (await postJson(`${killed.url}/api/v1/deliveries/${id}/release`, {}, headers)).json()) as ReleasedDelivery;
  const answered: ReleasedDelivery[] = [];
  const releasing = [ids, ids.toReversed()].map(async (some) => {
    for (const id of some) answered.push(await release(id));
  });
  const ended = Promise.allSettled(releasing);
  await vi.waitFor(() => expect(answered.length).toBeGreaterThan(10), { interval: 2 });
  await vi.waitFor(() => expect(lines("started.log").length).toBeGreaterThan(0));
  await killed.killGroup();
  await ended;
  expect(lines("packed.log")).toEqual([]);
  expect(answered.length).toBeLessThan(2 * count);

  const service = await startService({ projectDir, command: "start" });
  const releaseAll = async () => {
    const data: ReleasedDelivery[] = [];
    for (let cursor: string | null = null, isLast = false; !isLast;) {
      const body = { all: true, ...(cursor !== null && { cursor }) };
      const response = await postJson(`${service.url}/api/v1/deliveries/release`, body, headers);
      const batch = (await response.json()) as ReleaseBatch;
      data.push(...batch.data);
      [cursor, isLast] = [batch.nextCursor, batch.nextCursor === null];
    }
    return data;
  };
  await Promise.all([releaseAll(), releaseAll()]);
  expect(JSON.parse(cli("deliveries", "release", "--all", "--json").stdout)).toMatchObject({ data: [] });
  expect(JSON.parse(cli("deliveries", "release", ...ids, "--json").stdout)).toMatchObject({ alreadyReleased: count });

  writeFileSync(join(projectDir, "go-on"), "");
  for (const id of ids) {
    const { data } = await getJson<{ data: RunSummary[] }>(`${service.url}/api/v1/runs?delivery=${id}`, headers);
    expect(data).toHaveLength(1);
    expect(await waitForRun(service, data[0]?.id ?? "", headers)).toMatchObject({ status: "completed" });
  }
  // The responses to clients name exactly the runs in the store.
  for (const { id, runs } of answered) {
    const { verdicts } = await getJson<DeliverySummary>(`${service.url}/api/v1/deliveries/${id}`, headers);
    expect(verdicts.map(({ runId }) => runId)).toEqual(runs.map(({ runId }) => runId));
  }
  expect(
    lines("packed.log")
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: count }, (_, n) => n));
  expect(cli("deliveries", "list", "--outcome", "held", "--json").stdout).toContain('"data": []');
  expect(cli("doctor", "orders").stdout).toContain("✓ deliveries");
  expect(await service.stop()).toBe(0);
});
