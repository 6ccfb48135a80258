import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { startService, type Service } from "./support/service.ts";

const invoice = { id: "evt_1", type: "invoice.paid", invoice: { number: "2026-0001", customer: "Ada Ltd", amount: 4200, currency: "EUR" } };

/** Some of everything, and the address of every page that shows it. */
async function fill(service: Service): Promise<string[]> {
  const paid = await postJson(`${service.url}/triggers/billing`, invoice);
  const { runId } = (await paid.json()) as { runId: string };
  const refused = await postJson(`${service.url}/triggers/signup`, { name: "", email: "nobody" });
  await postJson(`${service.url}/triggers/githb`, {});
  await waitForRun(service, runId);
  const [paidId, refusedId] = [paid, refused].map((response) => response.headers.get("signalbox-delivery"));
  return [
    "/",
    "/?node=endpoint:billing",
    "/?node=endpoint:billing&tab=connect",
    "/?node=endpoint:billing&tab=try",
    "/?node=trigger:invoice-paid",
    `/?node=trigger:invoice-paid&tab=test&from=${paidId}`,
    "/?node=trigger:invoice-paid&tab=deliveries",
    "/?node=trigger:invoice-paid&tab=schema",
    "/?node=workflow:post-to-ledger",
    "/?node=workflow:post-to-ledger&tab=run",
    "/deliveries",
    "/deliveries?endpoint=nowhere",
    `/deliveries/${paidId}`,
    `/deliveries/${refusedId}?compare=${paidId}`,
    "/runs",
    "/runs?status=failed&trigger=none",
    `/runs/${runId}`,
    `/runs/${runId}?replay=edit`,
    "/runs/run_unknown",
    "/errors/unauthorized",
  ];
}

async function expectNoFaults(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(grave.map(({ id, nodes }) => [where, id, nodes.map(({ html }) => html.slice(0, 160))])).toEqual([]);
}

/** Drawn, and with its data: nothing says any more that it is being read. */
async function settle(page: Page): Promise<void> {
  await page.getByRole("heading").first().waitFor();
  await expect.poll(() => page.getByRole("status", { name: /being read|loading/i }).count(), { timeout: 15_000 }).toBe(0);
}

async function expectNoSidewaysScrolling(page: Page, where: string): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(overflow, where).toBeLessThanOrEqual(0);
}

/** The search and the list of keys, which stand above any page. */
async function forEachDialog(page: Page, check: (name: string) => Promise<void>): Promise<void> {
  await page.getByRole("status").getByText("live ·").waitFor();
  for (const [name, keys] of [["search", "ControlOrMeta+k"], ["keys", "?"]] as const) {
    await page.keyboard.press(keys);
    await page.getByRole("dialog").waitFor();
    await check(name);
    await page.keyboard.press("Escape");
  }
}

describe.each(["light", "dark"] as const)("every page in %s", (colorScheme) => {
  it("has no serious or critical accessibility fault on a desk's screen", { timeout: 240_000 }, async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const paths = await fill(service);
    const { page } = await visit(service.url, { colorScheme, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    for (const path of paths) {
      await page.goto(service.url + path);
      await settle(page);
      await expectNoFaults(page, path);
    }
    await forEachDialog(page, (name) => expectNoFaults(page, name));
  });

  it("has none at 360 px either, and needs no sideways scrolling there", { timeout: 240_000 }, async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    const paths = await fill(service);
    const { page } = await visit(service.url, { colorScheme, viewport: { width: 360, height: 740 }, reducedMotion: "reduce" });
    for (const path of paths) {
      await page.goto(service.url + path);
      await settle(page);
      await expectNoFaults(page, path);
      await expectNoSidewaysScrolling(page, path);
    }
    await forEachDialog(page, async (name) => {
      await expectNoFaults(page, name);
      await expectNoSidewaysScrolling(page, name);
    });
  });
});
