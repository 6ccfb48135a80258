import type { Page } from "playwright";
import { describe, expect } from "vitest";
import { postJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { writeProject } from "./support/project.ts";
import { withSharedService } from "./support/service.ts";

const parts = Array.from(
  { length: 8 },
  (_, index) => `part${index}: z.object({
  kind: z.enum(["one", "two", "three"]),
  size: z.union([z.int(), z.string()]),
  by: z.discriminatedUnion("type", [z.object({ type: z.literal("card"), last4: z.string().length(4) }), z.object({ type: z.literal("sepa"), iban: z.string().min(8) })]),
})`,
).join(",\n");

const files = {
  "workflows/long.ts": `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "long", input: z.object({ ${parts} }), async run() {} });\n`,
  "triggers/long-event.ts": `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport long from "../workflows/long";\nexport default defineWebhookSource({ slug: "long-event", endpoint: "long", request: z.object({ ${parts} }) }).attach({ workflow: long });\n`,
};

/** The browser's own line about an input that the server rejects. */
const rejection = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)";

const viewports = [
  { width: 1440, height: 900 },
  { width: 1024, height: 640 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
] as const;

/** Where the frame of the app is, and whether anything but the sheet can be scrolled. */
function frameOf(page: Page) {
  return page.evaluate(() => {
    const root = document.scrollingElement ?? document.documentElement;
    const around: number[] = [];
    for (let at = document.querySelector("aside")?.parentElement ?? null; at; at = at.parentElement)
      around.push(at.scrollTop);
    return {
      top: root.scrollTop,
      headerAt: document.querySelector("header")?.getBoundingClientRect().top,
      scrolled: around.filter((top) => top !== 0),
    };
  });
}

const still = { top: 0, headerAt: 0, scrolled: [] };

/**
 * Absolutely positioned elements whose containing block is outside of the container that scrolls them: they would make
 * an outer one scroll.
 */
function escapedFrom(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const escaped: string[] = [];
    for (const element of document.querySelectorAll("*")) {
      if (getComputedStyle(element).position !== "absolute") continue;
      for (let around = element.parentElement; around; around = around.parentElement) {
        const { position, transform, overflow } = getComputedStyle(around);
        if (position !== "static" || transform !== "none") break;
        if (!/auto|scroll/.test(overflow)) continue;
        escaped.push(`${element.tagName} ${element.className} in ${around.className}`);
        break;
      }
    }
    return escaped;
  });
}

const it = withSharedService((onCleanup) => ({ projectDir: writeProject(files, onCleanup), command: "dev" }));

/** The page fits the window, whose size may just have changed, and shows its data. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.getByRole("main").waitFor();
  await page.getByRole("status").getByText("live ·").waitFor();
  await expect.poll(() => page.getByRole("status", { name: /being read|loading/i }).count()).toBe(0);
}

describe("the frame of the app stays where it is", () => {
  it("while a long form is scrolled to its end, and after Ctrl+Enter on an invalid draft, at every screen size", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    for (const path of ["/?node=workflow:long&tab=run", "/?node=trigger:long-event&tab=test"]) {
      await page.setViewportSize(viewports[0]);
      await page.goto(service.url + path);
      await page.getByRole("button", { name: /^(Run|Send)$/ }).waitFor();
      await page.getByRole("radio", { name: "JSON", exact: true }).check();
      await page.getByRole("textbox", { name: "JSON", exact: true }).fill("{}");
      await page.getByRole("radio", { name: "Form", exact: true }).check();
      for (let part = 0; part < 8; part += 1)
        await page.getByRole("button", { name: `Add part${part}`, exact: true }).click();
      await page.getByRole("radio", { name: "two" }).last().check();
      const start = page.locator("[data-pointer='/part0']");
      const end = page.locator("[data-pointer='/part7/by']");
      for (const viewport of viewports) {
        await page.setViewportSize(viewport);
        await settle(page);
        await start.scrollIntoViewIfNeeded();
        const { x, y } = (await start.boundingBox()) ?? { x: 0, y: 0 };
        await page.mouse.move(x + 20, Math.max(y, 200));
        const isAtEnd = () => end.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
        expect(await isAtEnd(), `${path} before scrolling, ${viewport.width}`).toBe(false);
        await expect.poll(async () => (await page.mouse.wheel(0, 5000), isAtEnd())).toBe(true);
        await page.mouse.wheel(0, 5000);
        expect(await frameOf(page), `${path} scrolled, ${viewport.width}`).toEqual(still);
        await end.getByRole("textbox").first().focus();
        await page.keyboard.press("Control+Enter");
        await page.getByRole("alert").first().waitFor();
        const focused = () =>
          page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-pointer]")?.dataset["pointer"]);
        await expect.poll(focused).toBe("/part0/kind");
        expect(await frameOf(page), `${path} sent, ${viewport.width}`).toEqual(still);
        expect(await escapedFrom(page), `${path}, ${viewport.width}`).toEqual([]);
      }
    }
    expect(errors.filter((error) => error !== rejection)).toEqual([]);
  });

  it("because no hidden element overflows its scroll container, on any page", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    await postJson(`${service.url}/triggers/long`, {});
    await postJson(`${service.url}/api/v1/workflows/long/runs`, {});
    for (const path of [
      "/",
      "/?node=endpoint:long&tab=try",
      "/?node=trigger:long-event",
      "/?node=trigger:long-event&tab=deliveries",
      "/deliveries",
      "/runs",
    ]) {
      await page.goto(service.url + path);
      for (const viewport of viewports) {
        await page.setViewportSize(viewport);
        await settle(page);
        expect(await escapedFrom(page), `${path}, ${viewport.width}`).toEqual([]);
      }
    }
    expect(errors).toEqual([]);
  });
});
