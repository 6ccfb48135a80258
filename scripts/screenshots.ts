/**
 * Makes the pictures of the README from a running service of the example project, with some minutes of traffic that it
 * sends itself: `SIGNALBOX_PAGES=built npm run dev`, then `node scripts/screenshots.ts [--url http://127.0.0.1:3002]
 * [--minutes 4]`
 */
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Page, chromium } from "playwright";
import { findOrInstall } from "./test-tools.ts";

const { values } = parseArgs({
  options: { url: { type: "string", default: "http://127.0.0.1:3002" }, minutes: { type: "string", default: "4" } },
});
const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/images");

const lastDelivery = await sendTraffic(Number(values.minutes) * 60_000);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findOrInstall("chromium"),
  args: ["--no-sandbox", "--disable-gpu"],
});
await take({
  name: "canvas",
  colorScheme: "light",
  path: "/?window=15m",
  ready: (page) => page.getByRole("link", { name: /^Trigger invoice-paid, [1-9]/ }).waitFor(),
});
await take({
  name: "delivery",
  colorScheme: "dark",
  path: `/deliveries/${lastDelivery}`,
  ready: (page) => page.getByText("Trigger verdicts").waitFor(),
});
await browser.close();

/**
 * Sends what such an endpoint gets on a good day, with some mistakes among it. Answers the delivery that one trigger
 * took and another did not.
 */
async function sendTraffic(durationMs: number): Promise<string> {
  const paid = ["billing", sample("invoice-paid.json")] as const;
  const signup = ["signup", sample("signup.json")] as const;
  const round = [
    paid,
    signup,
    ["billing", sample("invoice-failed.json")],
    paid,
    ["signup", JSON.stringify({ name: "Grace Hopper", email: "grace at example.com" })],
    ["billing", sample("invoice-large.json")],
    signup,
    ["github", sample("ci-failed.json")],
    ["github", sample("issue-opened.json")],
    ["billing", JSON.stringify({ id: "evt_0120", type: "customer.updated" })],
    signup,
    paid,
  ] as const;
  const until = Date.now() + durationMs;
  for (let sent = 0; Date.now() < until; sent++) {
    const [endpoint, body] = round[sent % round.length] ?? paid;
    await send(endpoint, body);
    // Busy and quiet stretches, as senders have them.
    await wait(300 + 1_700 * (1 + Math.sin(sent / 9)));
  }
  return send(...paid);
}

function sample(name: string): string {
  return readFileSync(join(root, "examples/starter/requests", name), "utf8");
}

async function send(endpoint: string, body: string): Promise<string> {
  const response = await fetch(`${values.url}/triggers/${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "billing-webhooks/2.4" },
    body,
  });
  return response.headers.get("signalbox-delivery") ?? "";
}

async function take(p: {
  name: string;
  colorScheme: "light" | "dark";
  path: string;
  ready: (page: Page) => Promise<void>;
}): Promise<void> {
  const page = await browser.newPage({
    colorScheme: p.colorScheme,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  await page.goto(values.url + p.path);
  await p.ready(page);
  await page.evaluate(() => document.fonts.ready);
  // Runs end, and the newest numbers arrive.
  await wait(3_000);
  const file = join(folder, `${p.name}.png`);
  await page.screenshot({ path: file });
  console.log(`${file} ${Math.round(statSync(file).size / 1024)} kB`);
  await page.close();
}
