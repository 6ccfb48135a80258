import type { Page } from "playwright";
import { expect } from "vitest";
import { findViolations } from "./axe.ts";
import { shellShifts, sidewaysOverflow } from "./browser.ts";

export const desk = { width: 1440, height: 900 };
export const phone = { width: 360, height: 740 };

/**
 * Checks the page and its open overlays, on a desktop and on a phone. There must be no serious accessibility violation
 * in either theme, and no horizontal scrolling. The frame must not move while the focus visits all elements. The first
 * size is the one that the page was loaded with, if it is one of the two.
 */
export async function expectSoundPage(page: Page, where: string): Promise<void> {
  const before = page.viewportSize();
  // In the middle of a transition, a color is of neither state.
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  for (const viewport of before?.width === phone.width ? [phone, desk] : [desk, phone]) {
    await page.setViewportSize(viewport);
    await settle(page);
    const place = `${where} at ${viewport.width} px`;
    await expectNoFaultsInBothThemes(page, place);
    await expectStillFrame(page, place);
  }
  if (before) await page.setViewportSize(before);
}

/** Drawn, and with its data: no status says that it is loading. */
export async function settle(page: Page): Promise<void> {
  // A changed media query is applied in the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.getByRole("heading").first().waitFor();
  await expect.poll(() => page.getByRole("status", { name: /being read|loading/i }).count()).toBe(0);
}

export async function expectNoFaults(page: Page, where: string, rules?: string[]): Promise<void> {
  expect((await findViolations(page, rules)).map(({ id, elements }) => [where, id, elements])).toEqual([]);
}

/** The frame of the app never moves, and nothing needs sideways scrolling. */
export async function expectStillFrame(page: Page, where: string): Promise<void> {
  expect(await sidewaysOverflow(page), where).toBeLessThanOrEqual(0);
  expect(await shellShifts(page), where).toEqual([]);
}

/** The dark theme changes colors only, and with them contrast. Every other rule is checked in the light theme. */
async function expectNoFaultsInBothThemes(page: Page, where: string): Promise<void> {
  await expectNoFaults(page, where);
  const light = await inkOf(page);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await inkOf(page)).not.toBe(light);
  await expectNoFaults(page, `${where} in dark`, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
}

async function inkOf(page: Page): Promise<string> {
  return await page.evaluate(() => getComputedStyle(document.body).color);
}
