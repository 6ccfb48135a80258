/** Makes the pictures of the README: the example project with some traffic, in both themes. `node scripts/screenshots.ts` */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chromium } from "playwright";
import { findOrInstallBrowser } from "./find-browser.ts";

const [url = "http://127.0.0.1:3002"] = process.argv.slice(2);
const folder = join(import.meta.dirname, "../docs/images");
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({ executablePath: findOrInstallBrowser(), args: ["--no-sandbox", "--disable-gpu"] });
for (const colorScheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.getByRole("heading").first().waitFor();
  await wait(500); // the fonts
  const file = join(folder, `overview-${colorScheme}.png`);
  await page.screenshot({ path: file });
  console.log(file);
}
await browser.close();
execFileSync("ls", ["-l", folder], { stdio: "inherit" });
