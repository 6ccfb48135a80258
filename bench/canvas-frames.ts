// How smoothly the canvas of a running service moves: node bench/canvas-frames.ts --url http://127.0.0.1:3002 [--token sbt_…]
// `bench/seed.ts --triggers 300` (or 2000) writes a project for it.
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { findOrInstall } from "../scripts/test-tools.ts";
import { measureFold, measureFrames } from "./canvas/measure-frames.ts";

const { values } = parseArgs({
  options: { url: { type: "string", default: "http://127.0.0.1:3002" }, token: { type: "string" } },
});

const browser = await chromium.launch({ executablePath: findOrInstall("chromium"), args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
if (values.token) {
  await page.goto(values.url);
  await page.getByLabel("API token").fill(values.token);
  await page.getByRole("button", { name: "Sign in" }).click();
}
const began = performance.now();
await page.goto(values.url);
await page.locator("[data-node]").first().waitFor();
console.log(`${Math.round(performance.now() - began)} ms until the first nodes are visible`);
await page.waitForTimeout(2_000);
console.table(await measureFold(page));
console.table(await measureFrames(page));
await browser.close();
