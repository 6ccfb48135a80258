import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Page as List } from "../server/contract/list.ts";
import type { RunSummary } from "../server/contract/run.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { writeProject } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";
import { expectSoundPage } from "./support/sound-page.ts";

/** While this file exists in the project, charges wait for it. */
const gate = "gate.txt";

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject(
    {
      "workflows/checkout.ts": `
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        import summarize from "../agents/summarize";
        import charge from "./charge";
        import notify from "./notify";
        export default defineWorkflow({
          slug: "checkout",
          input: z.object({ order: z.string() }),
          async run({ order }, ctx) {
            await ctx.step("reserve", () => order);
            const { id } = await ctx.start("notify customer", notify, { order });
            const [receipt, , gift] = await Promise.all([
              ctx.call("charge", charge, { order, isDeclined: false }, { key: order, timeout: "1h" }),
              ctx.call("summary", summarize, { prompt: "Summarize order " + order }),
              ctx.call("charge gift card", charge, { order, isDeclined: true }).catch(() => null),
            ]);
            return { id, receipt, gift };
          },
        });`,
      "workflows/charge.ts": `
        import { existsSync } from "node:fs";
        import { setTimeout as delay } from "node:timers/promises";
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        export default defineWorkflow({
          slug: "charge",
          input: z.object({ order: z.string(), isDeclined: z.boolean() }),
          retries: { attempts: 1 },
          async run({ order, isDeclined }, ctx) {
            if (isDeclined) throw new Error("The card was declined.");
            while (existsSync("${gate}")) await delay(20);
            return { receipt: order };
          },
        });`,
      "workflows/notify.ts": `
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        export default defineWorkflow({ slug: "notify", input: z.object({ order: z.string() }), run: () => {} });`,
      "workflows/notify-all.ts": `
        import { defineWorkflow } from "signalbox/workflow";
        import { z } from "zod";
        import notify from "./notify";
        export default defineWorkflow({
          slug: "notify-all",
          input: z.object({ orders: z.array(z.string()) }),
          async run({ orders }, ctx) {
            await Promise.all(orders.map((order) => ctx.call("notify " + order, notify, { order })));
          },
        });`,
      "agents/summarize.ts": `
        import { defineAgent, scriptedModel } from "signalbox/agent";
        export default defineAgent({
          slug: "summarize",
          model: scriptedModel({ answers: () => "Two books, one lamp." }),
          instructions: "Summarize orders.",
        });`,
    },
    onCleanup,
  ),
  command: "dev",
}));

const patient = { timeout: 180_000 };

async function start({ url }: Service, workflow: string, input: unknown): Promise<string> {
  const response = await postJson(`${url}/api/v1/workflows/${workflow}/runs`, input);
  return ((await response.json()) as { runId: string }).runId;
}

async function childrenOf({ url }: Service, id: string): Promise<RunSummary[]> {
  return (await getJson<List<RunSummary>>(`${url}/api/v1/runs?childOf=${id}&limit=100`)).data;
}

it("a run shows its child runs while it waits and afterwards, and they lead back to it", async ({ service }) => {
  const { url, projectDir } = service;
  writeFileSync(join(projectDir, gate), "");
  const parent = await start(service, "checkout", { order: "A1" });
  const ended = async () => (await childrenOf(service, parent)).filter(({ finishedAt }) => finishedAt !== null).length;
  await expect.poll(ended, patient).toBe(3);
  const found = await childrenOf(service, parent);
  const charge = found.find(({ key }) => key === "A1")?.id ?? "";
  const summary = found.find(({ target }) => target.kind === "agent")?.id ?? "";

  const { page, errors } = await visit(url, { viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/runs/${parent}`);
  const timeline = page.getByRole("region", { name: "Timeline and logs" });
  const row = (name: RegExp) => timeline.getByRole("button", { name });
  await row(/^call charge, waiting, .* until /).waitFor(patient);
  await row(/^call summary, summarize, completed, .* took /).waitFor(patient);
  await row(/^call charge gift card, charge, failed, /).waitFor(patient);
  await row(/^start notify customer, notify, /).waitFor(patient);
  await page.getByText("waits for charge until").waitFor(patient);
  expect(await page.getByTitle(charge, { exact: true }).first().getAttribute("href")).toBe(`/runs/${charge}`);
  const children = page.getByRole("region", { name: "Child runs" });
  await expect.poll(() => children.getByRole("row").count(), patient).toBe(5);
  await children.getByText("Error: The card was declined.").waitFor(patient);
  await children.getByText(/^Usage with child runs: \d+ tokens, /).waitFor(patient);
  await page.getByRole("button", { name: "Cancel run" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this run?" });
  await dialog.getByText("The child runs that it has called are canceled as well").waitFor(patient);
  await dialog.getByRole("button", { name: "Go back" }).click();
  await expectSoundPage(page, "a run that waits for its child runs");
  // The check visits the logs as well.
  await page.goto(`${url}/runs/${parent}`);
  await row(/^call charge, waiting/).click();
  await timeline.getByRole("group", { name: "Details of charge" }).getByText("running").waitFor(patient);
  const rowsOf = (id: string) => timeline.getByRole("list", { name: `Timeline of the child run ${id}` });
  await rowsOf(charge)
    .getByRole("button", { name: /^Attempt 1, in progress, / })
    .waitFor(patient);
  await expectSoundPage(page, "the details of a call");

  await page.goto(`${url}/runs?target=checkout`);
  const table = page.getByRole("table", { name: "Runs" });
  await table.getByText("waits for a child").waitFor(patient);

  await page.goto(`${url}/runs/${parent}?step=charge`);
  await rowsOf(charge)
    .getByRole("button", { name: /^Attempt 1, in progress, / })
    .waitFor(patient);
  rmSync(join(projectDir, gate));
  await row(/^call charge, completed, .* took /).waitFor(patient);
  await rowsOf(charge)
    .getByRole("button", { name: /^Attempt 1, done, / })
    .waitFor(patient);
  await page.getByRole("main").getByText("completed", { exact: true }).first().waitFor(patient);
  await expect.poll(() => children.getByText("completed", { exact: true }).count(), patient).toBe(3);
  expect((await waitForRun(service, parent)).status).toBe("completed");
  await expectSoundPage(page, "a run whose child runs have ended");
  await page.goto(`${url}/runs/${parent}`);
  await row(/^call summary, /).click();
  await rowsOf(summary)
    .getByRole("button", { name: /^Model call 1, done, / })
    .waitFor(patient);
  await rowsOf(summary)
    .getByRole("button", { name: /^Attempt 1, done, / })
    .click();
  await rowsOf(summary).getByRole("group", { name: "Details of Attempt 1" }).waitFor(patient);
  await expectSoundPage(page, "the timeline of a child run in that of its parent");

  await page.goto(`${url}/runs/${parent}`);
  await timeline.getByRole("link", { name: `Open child run ${charge}` }).click();
  await page.waitForURL(`**/runs/${charge}`);
  const back = page.getByRole("link", { name: /^run_/ }).and(page.getByTitle(parent, { exact: true }));
  await back.waitFor(patient);
  await page
    .getByRole("definition")
    .filter({ hasText: /^parent run_/ })
    .waitFor(patient);
  expect(await page.getByRole("region", { name: "Child runs" }).count()).toBe(0);
  await expectSoundPage(page, "a child run");
  await back.click();
  await page.waitForURL(`**/runs/${parent}`);

  await children.getByRole("link", { name: "Show as a list" }).click();
  await page.waitForURL(`**/runs?childOf=${parent}`);
  await expect.poll(() => table.getByTitle(`Child of ${parent}`).count(), patient).toBe(4);
  await page.getByText(`children of ${parent}`).waitFor(patient);
  await page
    .getByRole("status", { name: "Usage of these runs" })
    .getByText(/^1 run, \d+ tokens/)
    .waitFor(patient);
  await expectSoundPage(page, "the child runs of a run as a list");
  expect(errors).toEqual([]);
});

it("a run with many child runs shows the newest, and the number of each status", async ({ service }) => {
  const { url } = service;
  const orders = Array.from({ length: 12 }, (_, at) => `B${at}`);
  const parent = await start(service, "notify-all", { orders });
  expect((await waitForRun(service, parent)).status).toBe("completed");
  const { page, errors } = await visit(url);
  await page.goto(`${url}/runs/${parent}`);
  const children = page.getByRole("region", { name: "Child runs" });
  await children.getByRole("table", { name: "Newest child runs" }).waitFor(patient);
  await children.getByRole("link", { name: "Show all 12" }).waitFor(patient);
  expect(await children.getByRole("row").count()).toBe(6);
  await expectSoundPage(page, "a run with many child runs");
  await children.getByRole("link", { name: "12 completed" }).click();
  await page.waitForURL(`**/runs?childOf=${parent}&status=completed`);
  const table = page.getByRole("table", { name: "Runs" });
  await expect.poll(() => table.getByTitle(`Child of ${parent}`).count(), patient).toBe(12);
  expect(errors).toEqual([]);
});
