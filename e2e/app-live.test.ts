import type { Page } from "playwright";
import { describe, expect, it, vi } from "vitest";
import { postJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { startService, type Service } from "./support/service.ts";

/** Twenty webhooks a second, until it is stopped. */
function sendTwentyASecond(service: Service): { stop(): Promise<number> } {
  const sent: Promise<Response>[] = [];
  const bodies = [
    ["billing", { id: "evt_1", type: "invoice.paid", invoice: { number: "2026-0001", customer: "Ada Ltd", amount: 4200, currency: "EUR" } }],
    ["signup", { name: "Ada", email: "ada@example.com" }],
    ["signup", { name: "", email: "nobody" }],
    ["nowhere", {}],
  ] as const;
  const timer = setInterval(() => {
    const [endpoint, body] = bodies[sent.length % bodies.length] ?? bodies[0];
    sent.push(postJson(`${service.url}/triggers/${endpoint}`, body));
  }, 50);
  return {
    async stop() {
      clearInterval(timer);
      return (await Promise.all(sent)).length;
    },
  };
}

/** Counts what a person would see as a jump: shifts of the layout, and moments in which the main part of the page was empty. */
async function watchForFlicker(page: Page): Promise<() => Promise<{ shift: number; blanks: number; longestBlockMs: number }>> {
  await page.evaluate(() => {
    const seen = { shift: 0, blanks: 0, longestBlockMs: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ("value" in entry && typeof entry.value === "number") seen.shift += entry.value;
    }).observe({ type: "layout-shift" });
    let last = performance.now();
    const look = () => {
      const now = performance.now();
      seen.longestBlockMs = Math.max(seen.longestBlockMs, now - last);
      last = now;
      if ((document.querySelector("main")?.textContent ?? "").length < 50) seen.blanks += 1;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (window as unknown as { seen: { shift: number; blanks: number; longestBlockMs: number } }).seen);
}

/** What each delivery changes: the count that an endpoint bears, or the row on top. Times that tick by themselves say nothing of news. */
const endpointName = (page: Page) => page.getByRole("link", { name: /^Endpoint \/triggers\/billing/ }).getAttribute("aria-label");
const topRow = (page: Page) => page.locator("a[data-row-link]").first().getAttribute("href");

describe("with twenty deliveries a second arriving", () => {
  it.each([
    ["the canvas", "/", endpointName],
    ["the list of deliveries", "/deliveries", topRow],
    ["the list of runs", "/runs", topRow],
  ])("%s stays live, and nothing flickers or jumps", async (_name, path, newest) => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 900 } });
    await page.goto(service.url + path);
    await page.getByText("live ·").waitFor();
    const before = await newest(page);
    const sending = sendTwentyASecond(service);
    await expect.poll(() => newest(page), { timeout: 10_000 }).not.toBe(before);
    const flicker = await watchForFlicker(page);
    const first = await newest(page);
    await expect.poll(() => newest(page), { timeout: 5_000, message: "it shows what arrives" }).not.toBe(first);
    await page.waitForTimeout(4_000);
    const seen = await flicker();
    expect(await sending.stop()).toBeGreaterThan(60);
    expect(seen.blanks, "moments without content").toBe(0);
    expect(seen.shift, "layout shift, 0.1 being what people notice").toBeLessThan(0.1);
    expect(errors).toEqual([]);
  });

  it("a list keeps the row that one reads where it is, and says how many are new", async () => {
    const service = await startService({ projectDir: copyStarter(), command: "dev" });
    for (let sent = 0; sent < 60; sent += 1) await postJson(`${service.url}/triggers/signup`, { name: `Ada ${sent}`, email: "ada@example.com" });
    const { page, errors } = await visit(service.url, { viewport: { width: 1440, height: 600 } });
    await page.goto(`${service.url}/deliveries`);
    await page.locator('a[href^="/deliveries/dlv_"]').nth(5).waitFor();
    await page.mouse.move(700, 450);
    await vi.waitFor(
      async () => {
        await page.mouse.wheel(0, 900);
        expect(await page.evaluate(() => scrollY)).toBeGreaterThan(500);
      },
      { timeout: 10_000, interval: 300 },
    );
    await page.waitForTimeout(500);
    const middle = () => page.evaluate(() => document.elementsFromPoint(700, 450).map((one) => one.closest("a, [role=row], tr")?.querySelector('a[href^="/deliveries/dlv_"]')?.getAttribute("href") ?? null).find(Boolean) ?? null);
    const reading = await middle();
    expect(reading).toMatch(/^\/deliveries\/dlv_/);
    const sending = sendTwentyASecond(service);
    await page.getByRole("button", { name: /\d+ new/ }).waitFor();
    await page.waitForTimeout(2_000);
    expect(await middle()).toBe(reading);
    await sending.stop();
    await page.getByRole("button", { name: /\d+ new/ }).click();
    await expect.poll(middle).not.toBe(reading);
    expect(errors).toEqual([]);
  });
});
