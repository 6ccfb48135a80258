import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright";
import { describe, expect, onTestFinished } from "vitest";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { pageTop, removeSharedWorker, visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";

const sleeper = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "sleeper",
  input: z.object({}),
  async run(_, ctx) {
    await ctx.sleep("until tomorrow", "1d");
  },
});
`;

function liveProject(onCleanup: Parameters<typeof copyStarter>[0]): string {
  const dir = copyStarter(onCleanup);
  writeFileSync(join(dir, "workflows/sleeper.ts"), sleeper);
  return dir;
}

const it = withSharedService((onCleanup) => ({ projectDir: liveProject(onCleanup), command: "dev" }));

const patient = { timeout: 180_000 };

const bodies = [
  [
    "billing",
    {
      id: "evt_1",
      type: "invoice.paid",
      invoice: { number: "2026-0001", customer: "Ada Ltd", amount: 4200, currency: "EUR" },
    },
  ],
  ["signup", { name: "Ada", email: "ada@example.com" }],
  ["signup", { name: "", email: "nobody" }],
  ["nowhere", {}],
] as const;

/** How many webhooks the endpoint billing of the shared service has answered. */
let billed = 0;

async function send(service: Service, index: number): Promise<void> {
  const [endpoint, body] = bodies[index % bodies.length] ?? bodies[0];
  await postJson(`${service.url}/triggers/${endpoint}`, body);
  if (endpoint === "billing") billed += 1;
}

const sendAtOnce = (service: Service, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(service, index)));

/**
 * Sends twenty webhooks a second: this number, or until it is stopped by `stop` or by the end of the test. `done`: all
 * are answered.
 */
function sendTwentyASecond(service: Service, limit = Infinity) {
  const ended = new AbortController();
  const answers: Promise<void>[] = [];
  const run = async () => {
    while (answers.length < limit && !ended.signal.aborted) {
      const answer = send(service, answers.length);
      answer.catch(() => ended.abort());
      answers.push(answer);
      await setTimeout(50, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    await Promise.all(answers);
  };
  const done = run();
  const settled = done.catch(() => undefined);
  const stop = () => {
    ended.abort();
    return done;
  };
  onTestFinished(() => {
    ended.abort();
    return settled;
  });
  return { count: () => answers.length, done, stop };
}

/** Sends webhooks while the list of deliveries waits for a response: it reads all of them at once. */
async function sendBetweenReads(service: Service, page: Page, count: number): Promise<void> {
  const isHeld = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(/deliveries\.list/, async (route) => {
    isHeld.resolve();
    await held.promise;
    await route.continue();
  });
  await sendAtOnce(service, 1);
  await isHeld.promise;
  await sendAtOnce(service, count);
  held.resolve();
}

/**
 * Counts what a person would see as a jump: shifts of the layout, and moments in which the main part of the page was
 * empty.
 */
async function watchForFlicker(page: Page): Promise<() => Promise<{ shift: number; blanks: number }>> {
  await page.evaluate(() => {
    const seen = { shift: 0, blanks: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ("value" in entry && typeof entry.value === "number") seen.shift += entry.value;
    }).observe({ type: "layout-shift" });
    const look = () => {
      if ((document.querySelector("main")?.textContent ?? "").length < 50) seen.blanks += 1;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return () => page.evaluate(() => (window as unknown as { seen: { shift: number; blanks: number } }).seen);
}

async function openLive(service: Service, path: string, height: number) {
  const visited = await visit(service.url, { viewport: { width: 1440, height } });
  await visited.page.goto(service.url + path);
  await visited.page.getByText("live ·").waitFor();
  return visited;
}

const newestIn = async (service: Service, list: "deliveries" | "runs") => {
  const { data } = await getJson<{ data: { id: string }[] }>(`${service.url}/api/v1/${list}?limit=1`);
  return `/${list}/${data[0]?.id}`;
};

/**
 * The part of the page that each delivery changes: the count of an endpoint, or the first row. Relative times are left
 * out, because they also change by themselves.
 */
const onCanvas = async (page: Page) =>
  /(\d+) deliver/.exec(
    (await page.getByRole("link", { name: /^Endpoint \/triggers\/billing/ }).getAttribute("aria-label")) ?? "",
  )?.[1];
const onTop = (page: Page) => page.locator("a[data-row-link]").first().getAttribute("href");

describe("with twenty deliveries per second", () => {
  const pages = [
    ["the canvas", "/", onCanvas, async () => String(billed)],
    ["the list of deliveries", "/deliveries", onTop, (service: Service) => newestIn(service, "deliveries")],
    ["the list of runs", "/runs", onTop, (service: Service) => newestIn(service, "runs")],
  ] as const;
  for (const [name, path, shown, newest] of pages) {
    it(`${name} stays live, and nothing flickers or jumps`, async ({ service }) => {
      await sendAtOnce(service, 4);
      const { page, errors } = await openLive(service, path, 900);
      await expect.poll(() => shown(page), patient).toBe(await newest(service));
      const before = await shown(page);
      const sending = sendTwentyASecond(service);
      await expect.poll(() => shown(page), patient).not.toBe(before);
      const flicker = await watchForFlicker(page);
      const first = await shown(page);
      await expect.poll(() => shown(page), { ...patient, message: "it shows new deliveries" }).not.toBe(first);
      await expect.poll(sending.count, patient).toBeGreaterThan(60);
      await sending.stop();
      const last = await newest(service);
      await expect.poll(() => shown(page), { ...patient, message: "it shows what arrived last" }).toBe(last);
      const seen = await flicker();
      expect(seen.blanks, "moments without content").toBe(0);
      expect(seen.shift, "layout shift, 0.1 being what people notice").toBeLessThan(0.1);
      expect(errors).toEqual([]);
    });
  }

  it("a list keeps its scroll position, and shows the number of new rows", async ({ service }) => {
    await sendAtOnce(service, 60);
    const { page, errors } = await openLive(service, "/deliveries", 600);
    const newest = await newestIn(service, "deliveries");
    await expect.poll(() => onTop(page), patient).toBe(newest);
    await page.mouse.move(700, 450);
    const scrolled = await page.evaluateHandle(() => ({
      ended: new Promise<void>((resolve) =>
        addEventListener("scrollend", () => resolve(), { once: true, capture: true }),
      ),
    }));
    await page.mouse.wheel(0, 900);
    await scrolled.evaluate(({ ended }) => ended);
    expect(await pageTop(page)).toBeGreaterThan(500);
    /** The row at this height, in every frame since the watch began. */
    const rowsSeen = await page.evaluateHandle(() => {
      const seen = new Set<string | null>();
      const look = () => {
        const rows = document
          .elementsFromPoint(700, 450)
          .map((element) => element.closest("[role=row]")?.querySelector("a[data-row-link]"));
        seen.add(rows.find(Boolean)?.getAttribute("href") ?? null);
        requestAnimationFrame(look);
      };
      look();
      return seen;
    });
    const inSight = () => rowsSeen.evaluate((seen) => [...seen]);
    const pill = page.getByRole("status").getByRole("button", { name: /new$/ });
    await sendTwentyASecond(service, 40).done;
    await expect.poll(() => pill.textContent(), patient).toBe("40 new");

    // More than a page between two reads, as on a busy service: the exact number is unknown.
    await sendBetweenReads(service, page, 60);
    await expect.poll(() => pill.textContent(), patient).toMatch(/^9[01]\+ new$/);
    const [reading, ...others] = await inSight();
    expect(reading).toMatch(/^\/deliveries\/dlv_/);
    expect(others).toEqual([]);
    await pill.click();
    const last = await newestIn(service, "deliveries");
    await expect.poll(() => onTop(page), patient).toBe(last);
    expect(await pageTop(page)).toBe(0);
    expect(await pill.count()).toBe(0);
    expect(errors).toEqual([]);
  });
});

it("a list at its top shows the latest deliveries: after more than a page between two reads, and after it has grown by hundreds of rows", async ({
  service,
}) => {
  await sendAtOnce(service, 60);
  const { page, errors } = await openLive(service, "/deliveries", 600);
  const showsNewest = async () => {
    const newest = await newestIn(service, "deliveries");
    await expect.poll(() => onTop(page), patient).toBe(newest);
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
  };
  await showsNewest();
  await sendBetweenReads(service, page, 60);
  await showsNewest();
  // More than the 500 rows by which a list grows.
  for (let round = 0; round < 12; round += 1) {
    await sendAtOnce(service, 45);
    await showsNewest();
  }
  expect(errors).toEqual([]);
});

/** Whether each request for the first page of this list had only newer rows to read. */
function watchReads(page: Page, query: string): boolean[] {
  const reads: boolean[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith("/api/trpc/")) return;
    type Input = { newerThan?: string | null; needsApproval?: true };
    const inputs = JSON.parse(request.postData() ?? "{}") as Record<string, Input>;
    for (const [at, name] of (pathname.split("/").at(-1) ?? "").split(",").entries())
      if (name === query && !inputs[at]?.needsApproval) reads.push(typeof inputs[at]?.newerThan === "string");
  });
  return reads;
}

for (const list of ["deliveries", "runs"] as const)
  it(`the list of ${list} reads only what is newer, and rows that change later are current`, async ({ service }) => {
    const started = await postJson(`${service.url}/api/v1/workflows/sleeper/runs`, {});
    const { runId } = (await started.json()) as { runId: string };
    await sendAtOnce(service, 8);
    const { page, errors } = await openLive(service, `/${list}`, 900);
    const openedAt = Date.now();
    const newest = await newestIn(service, list);
    await expect.poll(() => onTop(page), patient).toBe(newest);
    const reads = watchReads(page, `${list}.list`);
    for (let sent = 0; sent < 3; sent++) {
      await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
      const last = await newestIn(service, list);
      await expect.poll(() => onTop(page), patient).toBe(last);
    }
    if (list === "runs") {
      const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${runId}"]`) });
      await row.getByText("waiting").waitFor();
      await postJson(`${service.url}/api/v1/runs/${runId}/cancel`, {});
      await row.getByText("canceled").waitFor(patient);
    }
    expect(reads.filter(Boolean).length).toBeGreaterThanOrEqual(3);
    // All rows are read once a minute.
    expect(reads.filter((isNewer) => !isNewer).length).toBeLessThanOrEqual((Date.now() - openedAt) / 60_000);
    expect(errors).toEqual([]);
  });

it("a browser without shared workers is live by a stream of its tab", async ({ service }) => {
  const { page, errors } = await visit(service.url);
  const streams: string[] = [];
  page.on("request", (request) => request.url().includes("/api/trpc/live") && streams.push(request.url()));
  await removeSharedWorker(page);
  await page.goto(`${service.url}/deliveries`);
  await page.getByText("live ·").waitFor();
  await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
  const newest = await newestIn(service, "deliveries");
  await expect.poll(() => onTop(page), patient).toBe(newest);
  expect(streams.length).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

it("seven tabs of a browser are live over one stream, and the page of a run that has ended is not read again", async ({
  service,
}) => {
  await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
  const run = await newestIn(service, "runs");
  await waitForRun(service, run.split("/").at(-1) ?? "");
  const { page, errors } = await openLive(service, run, 600);
  await page.getByText("completed", { exact: true }).first().waitFor();
  const reads: string[] = [];
  page.on(
    "request",
    (request) => /trpc\/[^?]*runs\.(get|timeline|conversation)/.test(request.url()) && reads.push(request.url()),
  );
  const others: Page[] = [];
  for (let tab = 0; tab < 6; tab++) {
    const other = await page.context().newPage();
    await other.goto(`${service.url}/deliveries`);
    await other.getByText("live ·").waitFor();
    others.push(other);
  }
  await postJson(`${service.url}/triggers/signup`, { name: "Grace", email: "grace@example.com" });
  const newest = await newestIn(service, "deliveries");
  for (const other of others) await expect.poll(() => onTop(other), patient).toBe(newest);
  expect(reads).toEqual([]);
  await page.getByRole("link", { name: "Deliveries", exact: true }).first().click();
  await expect.poll(() => onTop(page), patient).toBe(newest);
  expect(errors).toEqual([]);
});
