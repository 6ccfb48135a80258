/**
 * Makes the pictures of the documentation in `docs/images/`: `node scripts/pictures.ts [--minutes 4]`
 *
 * Builds the product if a source is newer, creates an example project with `init`, serves it with `dev`, and sends it
 * some minutes of traffic. A browser then takes the pictures of two pages, and the recording of one webhook: sent by
 * curl, shown on the canvas, explained on its page.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Locator, type Page, chromium } from "playwright";
import sharp from "sharp";
import { cleanEnvironment } from "./clean-environment.ts";
import { setup as ensureBuilt } from "./ensure-built.ts";
import { findOrInstall } from "./test-tools.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3002" }, minutes: { type: "string", default: "4" } },
});
const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/images");
const url = `http://127.0.0.1:${values.port}`;

/** CSS pixels of the app and of the terminal above it. The images have `pixelRatio` times as many. */
const size = { width: 1280, app: 640, terminal: 150 };
const pixelRatio = 1.125;

ensureBuilt();
const projectDir = mkdtempSync(join(tmpdir(), "signalbox-pictures-"));
const stopService = await startExample();
const browser = await chromium.launch({
  executablePath: findOrInstall("chromium"),
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  mkdirSync(folder, { recursive: true });
  const lastDelivery = await sendTraffic(Number(values.minutes) * 60_000);
  await takePicture({
    name: "canvas",
    colorScheme: "light",
    path: "/?window=15m",
    ready: (page) => page.getByRole("link", { name: /^Trigger invoice-paid, [1-9]/ }),
  });
  await takePicture({
    name: "delivery",
    colorScheme: "dark",
    path: `/deliveries/${lastDelivery}`,
    ready: (page) => page.getByText("Trigger verdicts"),
  });
  await record("why");
} finally {
  await browser.close();
  await stopService();
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
}

/** Serves a new example project. Returns the function that stops it. */
async function startExample(): Promise<() => Promise<void>> {
  const cli = join(root, "dist/cli.js");
  const env = cleanEnvironment();
  execFileSync(process.execPath, [cli, "init", projectDir], { env, stdio: "ignore" });
  mkdirSync(join(projectDir, "node_modules"));
  for (const name of ["zod", "@ai-sdk"])
    symlinkSync(join(root, "node_modules", name), join(projectDir, "node_modules", name));
  const service = spawn(process.execPath, [cli, "dev", "--project", projectDir, "--port", values.port], {
    cwd: projectDir,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = new Promise<void>((resolve) => service.once("exit", () => resolve()));
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
    if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode}.`);
    await wait(100);
  }
  return async () => {
    service.kill("SIGTERM");
    await exit;
  };
}

/**
 * Sends the traffic of a good day, with some invalid requests. Returns the id of a delivery that one trigger matched
 * and others did not.
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
  const response = await fetch(`${url}/triggers/${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "billing-webhooks/2.4" },
    body,
  });
  return response.headers.get("signalbox-delivery") ?? "";
}

async function takePicture(picture: {
  name: string;
  colorScheme: "light" | "dark";
  path: string;
  ready: (page: Page) => Locator;
}): Promise<void> {
  const page = await browser.newPage({
    colorScheme: picture.colorScheme,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  await page.goto(url + picture.path);
  await picture.ready(page).waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Runs end, and the newest numbers arrive.
  await wait(3_000);
  const file = join(folder, `${picture.name}.png`);
  await page.screenshot({ path: file });
  printSize(file);
  await page.close();
}

/** One image of the recording. */
interface Frame {
  caption: string;
  terminal: string;
  app: Buffer;
  cursor: { x: number; y: number } | null;
  ms: number;
}

/** Records a webhook from curl to the reason why a trigger did not match, as an animated WebP. */
async function record(name: string): Promise<void> {
  const page = await browser.newPage({
    colorScheme: "light",
    viewport: { width: size.width, height: size.app },
    deviceScaleFactor: pixelRatio,
  });
  const captions = [
    "1  Send a webhook",
    "2  See which triggers it starts",
    "3  See why large-invoice did not match",
  ] as const;
  const frames: Frame[] = [];
  let caption: string = captions[0];
  let terminal = "$ ";
  let cursor: Frame["cursor"] = null;
  const shoot = async (ms: number) => {
    frames.push({ caption, terminal, app: await page.screenshot(), cursor, ms });
  };
  /** Moves the cursor over the target, at a part of its width, and follows its link. */
  const followLink = async (target: Locator, at: number) => {
    const box = await target.boundingBox();
    if (!box) throw new Error("The target is not visible.");
    const to = { x: box.x + box.width * at, y: box.y + box.height / 2 };
    const from = cursor ?? { x: size.width * 0.4, y: size.app * 0.95 };
    for (const part of [0, 0.35, 0.7, 0.9, 1]) {
      cursor = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await page.mouse.move(cursor.x, cursor.y);
      await shoot(part === 1 ? 700 : 60);
    }
    // The cells of a list are above the link of their row.
    await target.dispatchEvent("click");
  };

  const stopped = page.locator('a[href*="trigger=large-invoice"][href*="verdict=stopped"]');
  await page.goto(`${url}/?window=15m&endpoint=billing`);
  await stopped.waitFor();
  await page.evaluate(() => document.fonts.ready);
  await wait(3_000);

  const body = JSON.stringify(JSON.parse(sample("invoice-paid.json")));
  const args = [`${url}/triggers/billing`, "-H", "content-type: application/json", "-d", body];
  const command = `curl ${args.map((arg) => (/[ {]/.test(arg) ? `'${arg}'` : arg)).join(" ")}`;
  await shoot(900);
  const app = frames[0]?.app ?? Buffer.alloc(0);
  for (let typed = 12; typed < command.length; typed += 16)
    frames.push({ caption, terminal: `$ ${command.slice(0, typed)}`, app, cursor, ms: 70 });
  frames.push({ caption, terminal: `$ ${command}`, app, cursor, ms: 900 });

  const before = await stopped.textContent();
  terminal = `$ ${command}\n${execFileSync("curl", ["--silent", ...args], { encoding: "utf8" })}`;
  caption = captions[1];
  // The dots move, and the counts change.
  const [shortest, longest] = [Date.now() + 2_500, Date.now() + 20_000];
  while (Date.now() < shortest || ((await stopped.textContent()) === before && Date.now() < longest)) await shoot(80);
  await wait(1_000);
  await shoot(2_000);

  caption = captions[2];
  await followLink(stopped, 0.5);
  const newest = page.locator('a[href^="/deliveries/dlv_"]').first();
  await newest.waitFor();
  await wait(1_000);
  await shoot(900);
  await followLink(newest, 0.15);
  await page.getByText("Trigger verdicts").waitFor();
  await wait(1_500);
  cursor = null;
  await shoot(6_000);
  await page.close();

  const file = join(folder, `${name}.webp`);
  const images = await compose(withoutRepeats(frames));
  await sharp(images, { join: { animated: true } })
    .webp({ delay: withoutRepeats(frames).map(({ ms }) => ms), loop: 0, quality: 82, effort: 5, smartSubsample: true })
    .toFile(file);
  printSize(file);
}

/** Equal images in succession become one, shown as long as all of them. */
function withoutRepeats(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  for (const frame of frames) {
    const last = kept.at(-1);
    const isRepeat =
      last?.app.equals(frame.app) &&
      JSON.stringify([last.terminal, last.cursor, last.caption]) ===
        JSON.stringify([frame.terminal, frame.cursor, frame.caption]);
    if (last && isRepeat) kept[kept.length - 1] = { ...last, ms: last.ms + frame.ms };
    else kept.push(frame);
  }
  return kept;
}

/** Draws the terminal above the app, with the cursor. */
async function compose(frames: readonly Frame[]): Promise<Buffer[]> {
  const font = readFileSync(
    join(root, "node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2"),
  );
  const page = await browser.newPage({
    viewport: { width: size.width, height: size.terminal + size.app },
    deviceScaleFactor: pixelRatio,
  });
  await page.setContent(`<!doctype html><style>
    @font-face { font-family: Mono; src: url(data:font/woff2;base64,${font.toString("base64")}); font-weight: 100 900 }
    * { margin: 0; box-sizing: border-box }
    body { font: 14px/20px Mono; background: #16181d; color: #e6e8ec; overflow: hidden }
    header { height: 32px; padding: 7px 14px; background: #2b2f38; color: #fff; font-weight: 600 }
    pre { font: inherit; height: ${size.terminal - 32}px; padding: 10px 14px; white-space: pre-wrap; word-break: break-all }
    img { display: block; width: ${size.width}px; height: ${size.app}px }
    svg { position: absolute; width: 22px; height: 22px; filter: drop-shadow(0 1px 2px rgb(0 0 0 / 0.4)) }
  </style><header></header><pre></pre><img alt="">
  <svg viewBox="0 0 22 22"><path d="M3 1l14 13-7 .5 4 7-3 1.500-4-7-4 4z" fill="#111" stroke="#fff" stroke-width="1.5"/></svg>`);
  const images: Buffer[] = [];
  for (const { caption, terminal, app, cursor } of frames) {
    await page.evaluate(
      async ({ image, ...shown }) => {
        const [header, pre, img] = ["header", "pre", "img"].map((name) => document.querySelector(name));
        if (!header || !pre || !(img instanceof HTMLImageElement)) throw new Error("The page is incomplete.");
        header.textContent = shown.caption;
        pre.textContent = shown.terminal;
        img.src = image;
        const arrow = document.querySelector("svg");
        if (arrow) arrow.style.cssText = shown.arrow;
        await img.decode();
        await document.fonts.ready;
      },
      {
        caption,
        terminal,
        image: `data:image/png;base64,${app.toString("base64")}`,
        arrow: cursor ? `left: ${cursor.x}px; top: ${cursor.y + size.terminal}px` : "display: none",
      },
    );
    images.push(await page.screenshot());
  }
  await page.close();
  return images;
}

function printSize(file: string): void {
  console.log(`${file} ${Math.round(statSync(file).size / 1024)} kB`);
}
