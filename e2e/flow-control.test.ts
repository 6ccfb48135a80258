import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunSummary } from "../server/contract/run.ts";
import { getJson, postJson } from "./support/api.ts";
import { messagesOf, visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, withSharedService } from "./support/service.ts";

/** While this file exists in the project, charges wait for it. */
const gate = "gate.txt";

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject(
    {
      "triggers/order-placed.ts": `
        import { defineWebhookSource } from "signalbox/trigger";
        import { z } from "zod";
        import charge from "../workflows/charge";
        export default defineWebhookSource({
          slug: "order-placed",
          endpoint: "orders",
          request: z.object({ customer: z.string(), isDeclined: z.boolean().default(false) }),
        }).attach({ workflow: charge, key: { field: "customer" } });`,
      "workflows/charge.ts": `
        import { existsSync } from "node:fs";
        import { setTimeout as delay } from "node:timers/promises";
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        export default defineWorkflow({
          slug: "charge",
          input: z.object({ customer: z.string(), isDeclined: z.boolean() }),
          concurrency: { perKey: 1, onFailure: "block" },
          retries: { attempts: 1 },
          async run({ isDeclined }) {
            while (existsSync("${gate}")) await delay(20);
            if (isDeclined) throw new Error("The card was declined.");
          },
        });`,
      "triggers/order-shipped.ts": `
        import { defineWebhookSource } from "signalbox/trigger";
        import { z } from "zod";
        export default defineWebhookSource({
          slug: "order-shipped",
          endpoint: "shipping",
          request: z.object({ order: z.object({ id: z.string() }), parcel: z.string() }),
        });`,
      "workflows/fulfil.ts": `
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        import orderShipped from "../triggers/order-shipped";
        export default defineWorkflow({
          slug: "fulfil",
          input: z.object({ order: z.string() }),
          async run({ order }, ctx) {
            await ctx.step("reserve", () => order);
            const event = await ctx.waitFor("shipped", orderShipped, { match: { "/order/id": order }, timeout: "14d" });
            const review = await ctx.waitFor("reviewed", orderShipped, { match: { "/parcel": "none" }, timeout: "1s" });
            return { parcel: event?.parcel ?? null, isReviewed: review !== null };
          },
        });`,
    },
    onCleanup,
  ),
  command: "dev",
}));

const patient = { timeout: 180_000 };

it("a run that waits for its key says so, and starts when a person releases the key", async ({ service }) => {
  const { url, projectDir } = service;
  const order = async (customer: string, isDeclined = false) => {
    const response = await postJson(`${url}/triggers/orders`, { customer, isDeclined });
    return ((await response.json()) as { runId: string }).runId;
  };
  const read = (id: string) => getJson<RunSummary>(`${url}/api/v1/runs/${id}`);
  const statusOf = async (id: string) => (await read(id)).status;
  writeFileSync(join(projectDir, gate), "");
  const first = await order("customer_7", true);
  await expect.poll(() => statusOf(first), patient).toBe("running");
  const [second, third, other] = [await order("customer_7"), await order("customer_7"), await order("customer_8")];
  await expect.poll(() => statusOf(other), patient).toBe("running");
  expect(await read(second)).toMatchObject({
    status: "queued",
    waitsFor: { kind: "key", runId: first, isBlocked: false },
  });

  const { page, errors } = await visit(url);
  await page.goto(`${url}/runs/${second}`);
  await page.getByText("its key, behind").waitFor(patient);
  await expectSoundPage(page, "a run that waits for its key");
  await page.goto(`${url}/runs?waitsForKey=true`);
  const table = page.getByRole("table", { name: "Runs" });
  await expect.poll(() => table.getByText("waits for its key").count(), patient).toBe(2);

  rmSync(join(projectDir, gate));
  await expect.poll(() => statusOf(first), patient).toBe("failed");
  await expect.poll(() => statusOf(other), patient).toBe("completed");
  expect(await read(second)).toMatchObject({ status: "queued", waitsFor: { runId: first, isBlocked: true } });
  const { stdout } = await signalbox(["runs", "get", third], { cwd: projectDir });
  expect(stdout).toContain(`key customer_7: blocked by ${first}, which has failed`);

  await page.goto(`${url}/runs/${first}`);
  await page.getByText("This run blocks its key.").waitFor(patient);
  await expectSoundPage(page, "a failed run that blocks its key");
  await page.getByRole("button", { name: "Release key" }).click();
  const dialog = page.getByRole("dialog", { name: "Release the key?" });
  await dialog.getByText("The run stays failed. The next run with its key starts.").waitFor();
  await dialog.getByRole("button", { name: "Release key" }).click();
  await expect.poll(() => statusOf(third), patient).toBe("completed");
  expect(await statusOf(second)).toBe("completed");
  await expect.poll(() => page.getByRole("button", { name: "Release key" }).count(), patient).toBe(0);
  await page.getByText("Key released").first().waitFor(patient);
  expect(await statusOf(first)).toBe("failed");
  expect(existsSync(join(projectDir, gate))).toBe(false);
  expect(await messagesOf(page).getByText(/not/).count()).toBe(0);
  expect(errors).toEqual([]);
});

it("a run that waits for an event says so, and the webhook that wakes it names it", async ({ service }) => {
  const { url, projectDir } = service;
  const start = async (order: string) => {
    const response = await postJson(`${url}/api/v1/workflows/fulfil/runs`, { order });
    return ((await response.json()) as { runId: string }).runId;
  };
  const read = (id: string) => getJson<RunSummary>(`${url}/api/v1/runs/${id}`);
  const run = await start("A1");
  const other = await start("B2");
  for (const id of [run, other])
    await expect
      .poll(() => read(id), patient)
      .toMatchObject({ status: "waiting", waitsFor: { kind: "event", step: "shipped" } });

  const { page, errors } = await visit(url);
  await page.goto(`${url}/runs/${run}`);
  const timeline = page.getByRole("region", { name: "Timeline and logs" });
  await page.getByText('{"/order/id": "A1"}').first().waitFor(patient);
  await timeline.getByRole("button", { name: /^wait shipped, order-shipped .*, waiting, .* until / }).click();
  await expectSoundPage(page, "a run that waits for an event");
  expect(await page.getByRole("link", { name: "order-shipped" }).first().getAttribute("href")).toContain(
    encodeURIComponent("trigger:order-shipped"),
  );

  await page.goto(`${url}/runs?waitsForEvent=order-shipped`);
  const runs = page.getByRole("table", { name: "Runs" });
  await expect.poll(() => runs.getByText('waits for order-shipped {"/order/id"').count(), patient).toBe(2);
  await expectSoundPage(page, "runs that wait for an event");
  await page.goto(`${url}/?node=${encodeURIComponent("trigger:order-shipped")}`);
  await page.getByRole("link", { name: "2 runs", exact: true }).waitFor(patient);

  const unrelated = await postJson(`${url}/triggers/shipping`, { order: { id: "C3" }, parcel: "7" });
  expect(await unrelated.json()).toEqual({ ok: true, skipped: true });
  await page.goto(`${url}/deliveries/${unrelated.headers.get("signalbox-delivery")}`);
  await page.getByText("no run waits for it").waitFor(patient);

  const response = await postJson(`${url}/triggers/shipping`, { order: { id: "A1" }, parcel: "P-9" });
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ ok: true, runId: run, runs: [], woke: [{ runId: run }] });
  const delivery = response.headers.get("signalbox-delivery") ?? "";
  await expect.poll(async () => (await read(run)).status, patient).toBe("completed");

  await page.goto(`${url}/deliveries/${delivery}`);
  const verdicts = page.getByRole("table", { name: "Trigger verdicts" });
  await verdicts.getByText("woke").waitFor(patient);
  await verdicts.getByText("completed").waitFor(patient);
  await expectSoundPage(page, "a delivery that woke a run");
  await page.goto(`${url}/deliveries?endpoint=shipping`);
  const deliveries = page.getByRole("table", { name: "Deliveries" });
  await deliveries.getByText("order-shipped matched, no run waits for it").waitFor(patient);
  await deliveries.getByTitle(run, { exact: true }).click();
  await page.waitForURL(`**/runs/${run}`);
  await timeline.getByRole("button", { name: /^wait reviewed, .*, timed out, / }).waitFor(patient);
  await timeline.getByRole("button", { name: /^wait shipped, .*, event received, / }).click();
  const details = timeline.getByRole("group", { name: "Details of shipped" });
  await details.getByRole("region", { name: "Result of shipped" }).getByText("P-9").waitFor(patient);
  expect(await details.getByTitle(delivery, { exact: true }).getAttribute("href")).toBe(`/deliveries/${delivery}`);
  await expectSoundPage(page, "a run whose waits have ended");

  const { stdout } = await signalbox(["runs", "get", other], { cwd: projectDir });
  expect(stdout).toContain('event order-shipped {"/order/id": "B2"} until');
  expect(
    (await signalbox(["runs", "list", "--waits-for-event", "order-shipped"], { cwd: projectDir })).stdout,
  ).toContain(other);
  expect(errors).toEqual([]);
});
