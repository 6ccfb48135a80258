import { globSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { desk, expectNoFaults, expectStillFrame, expectSoundPage, phone, settle } from "./support/sound-page.ts";
import { copyStarter, repository } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

/** The routes of all pages. */
const routes = globSync("**/page.tsx", { cwd: join(repository, "app") })
  .map((file) => `/${dirname(file)}`.replace("/.", "/"))
  .toSorted();

/** The pages of people and keys, which need a deployed service. */
const routesOfPeople = [
  "/invite/[token]",
  "/reset/[token]",
  "/settings",
  "/settings/audit",
  "/settings/builds",
  "/settings/keys",
  "/settings/people",
  "/setup/[token]",
  "/sign-in",
];

function isAt(path: string, route: string): boolean {
  return new RegExp(`^${route.replaceAll(/\[\w+\]/g, "[^/]+")}$`).test(path.split("?")[0] ?? "");
}

/** Runs that fail, are in progress, or wait. */
const workflow = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "close-books",
  input: z.object({ mode: z.enum(["fails", "runs", "sleeps"]) }),
  retries: { attempts: 2, initialDelay: "100ms" },
  async run({ mode }, ctx) {
    ctx.log.info("Loaded");
    if (mode === "sleeps") await ctx.sleep("wait for the bank", "3d");
    if (mode === "runs") await ctx.step("hang", ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)));
    await ctx.step("post", () => { throw new Error("503"); });
  },
});
`;

function projectWithFailures(): string {
  const dir = copyStarter();
  writeFileSync(join(dir, "workflows/close-books.ts"), workflow);
  return dir;
}

const invoice = {
  id: "evt_1",
  type: "invoice.paid",
  invoice: { number: "2026-0001", customer: "Ada Ltd", amount: 4200, currency: "EUR" },
};

type Mode = "fails" | "runs" | "sleeps";

async function startBooks(service: Service, mode: Mode): Promise<string> {
  const response = await postJson(`${service.url}/api/v1/workflows/close-books/runs`, { mode });
  return ((await response.json()) as { runId: string }).runId;
}

async function untilStatus(service: Service, id: string, status: string): Promise<void> {
  const read = async () => (await getJson<{ status: string }>(`${service.url}/api/v1/runs/${id}`)).status;
  await expect.poll(read).toBe(status);
}

/** A run in each state that the example project does not produce. */
async function fillRuns(service: Service): Promise<string[]> {
  const failed = await startBooks(service, "fails");
  const running = await startBooks(service, "runs");
  const waiting = await startBooks(service, "sleeps");
  const canceled = await startBooks(service, "sleeps");
  await untilStatus(service, canceled, "waiting");
  await postJson(`${service.url}/api/v1/runs/${canceled}/cancel`, {});
  await Promise.all([
    untilStatus(service, failed, "failed"),
    untilStatus(service, running, "running"),
    untilStatus(service, waiting, "waiting"),
    untilStatus(service, canceled, "canceled"),
  ]);
  return [failed, running, waiting, canceled].map((id) => `/runs/${id}`);
}

/** Creates every kind of data, and returns the address of each page that shows it. */
async function fill(service: Service): Promise<string[]> {
  const paid = await postJson(`${service.url}/triggers/billing`, invoice);
  const { runId } = (await paid.json()) as { runId: string };
  const rejected = await postJson(`${service.url}/triggers/signup`, { name: "", email: "nobody" });
  const missed = await postJson(`${service.url}/triggers/githb`, {});
  const skipped = await postJson(`${service.url}/triggers/billing`, { ...invoice, type: "invoice.draft" });
  await waitForRun(service, runId);
  const runs = await fillRuns(service);
  const [paidId, rejectedId, missedId, skippedId] = [paid, rejected, missed, skipped].map((response) =>
    response.headers.get("signalbox-delivery"),
  );
  return [
    "/",
    `/?node=trigger:invoice-paid&tab=test&from=${paidId}`,
    "/deliveries",
    "/deliveries?endpoint=nowhere",
    "/deliveries?endpoint=billing&outcome=accepted&trigger=invoice-paid&verdict=matched&since=2026-01-01T00:00:00.000Z",
    `/deliveries/${paidId}`,
    `/deliveries/${rejectedId}?compare=${paidId}`,
    `/deliveries/${missedId}`,
    `/deliveries/${skippedId}`,
    "/runs",
    "/runs?status=failed&trigger=none",
    `/runs/${runId}`,
    `/runs/${runId}?replay=edit`,
    ...runs,
    `${runs[0]}?step=post`,
    `${runs[0]}?view=logs`,
    "/?node=trigger:invoice-pad",
    "/alerts",
    "/runs/run_unknown",
    "/no-such-page",
    "/errors/unauthorized",
  ];
}

/** One node of each kind. */
const nodes = ["endpoint:billing", "trigger:invoice-paid", "workflow:post-to-ledger", "agent:triage"];

/** Opens every tab of the sheet of a node. */
async function forEachTab(page: Page, url: string, node: string, check: (name: string) => Promise<void>) {
  await page.goto(`${url}/?node=${node}`);
  const tabs = page.getByRole("complementary").getByRole("tab");
  await tabs.first().waitFor();
  const names = await tabs.allTextContents();
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    await tabs.getByText(name, { exact: true }).click();
    await settle(page);
    await check(`${node}, ${name}`);
  }
}

/** The search and the list of keys, which open above any page. */
async function forEachDialog(page: Page, check: (name: string) => Promise<void>): Promise<void> {
  // With the focus on a tab, keys belong to the tabs.
  await page.goto(new URL("/runs", page.url()).href);
  await page.getByRole("status").getByText("live ·").waitFor();
  for (const [name, keys] of [
    ["search", "ControlOrMeta+k"],
    ["keys", "?"],
  ] as const) {
    await page.keyboard.press(keys);
    await page.getByRole("dialog").waitFor();
    await check(name);
    await page.keyboard.press("Escape");
  }
}

/** The confirmation before many runs are replayed. */
async function askToReplayMany(service: Service, page: Page): Promise<void> {
  await page.goto(`${service.url}/runs`);
  await settle(page);
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByRole("dialog").waitFor();
}

describe("every page at 1440 px and at 360 px", () => {
  it("has no serious or critical accessibility fault in light or dark, and its frame never scrolls while the focus moves through it", async () => {
    const service = await startService({ projectDir: projectWithFailures(), command: "dev" });
    const paths = await fill(service);
    expect(routes.filter((route) => !paths.some((path) => isAt(path, route)))).toEqual(routesOfPeople);
    const { page } = await visit(service.url, { colorScheme: "light", viewport: desk, reducedMotion: "reduce" });
    // Each page is loaded once, every other one on the phone.
    for (const [index, path] of paths.entries()) {
      await page.setViewportSize(index % 2 === 0 ? desk : phone);
      await page.goto(service.url + path);
      await settle(page);
      await expectSoundPage(page, path);
    }
    for (const [index, node] of nodes.entries()) {
      await page.setViewportSize(index % 2 === 0 ? desk : phone);
      await forEachTab(page, service.url, node, (name) => expectSoundPage(page, name));
    }
    await page.setViewportSize(desk);
    await forEachDialog(page, (name) => expectSoundPage(page, name));
    await askToReplayMany(service, page);
    await expectSoundPage(page, "replay many");
  });
});

/** The pages that only a deployed service has: sign-in, and the management of access. */
async function openDeployed(): Promise<{
  url: string;
  cli: (...args: string[]) => ReturnType<typeof signalbox>;
  open: string[];
  closed: string[];
  setUp: string;
}> {
  const projectDir = copyStarter();
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  expect(cli("build").status).toBe(0);
  const { url } = await startService({ projectDir, command: "start" });
  const link = (...args: string[]) => new URL(cli("people", ...args).stdout.trim()).pathname;
  return {
    url,
    cli,
    setUp: link("setup-link"),
    open: ["/sign-in?failed=token&done=reset", link("invite")],
    closed: ["/settings", "/settings/people", "/settings/keys", "/settings/builds", "/settings/audit"],
  };
}

describe("the pages of people and keys, in light and dark, on a desk's screen and at 360 px", () => {
  it("have no serious or critical accessibility fault, and their frame never scrolls while the focus moves through it", async () => {
    const { url, cli, setUp, open, closed } = await openDeployed();
    const { page } = await visit(url, { reducedMotion: "reduce" });
    // Each theme once, each width once.
    const faces = [
      { colorScheme: "light", width: 1280 },
      { colorScheme: "dark", width: 360 },
    ] as const;
    const look = async (path: string) => {
      for (const { colorScheme, width } of faces) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const where = `${path} in ${colorScheme} at ${width} px`;
        await expectNoFaults(page, where);
        await expectStillFrame(page, where);
      }
    };
    const lookAt = async (path: string) => {
      await page.goto(url + path);
      await settle(page);
      await look(path);
    };
    const seen: string[] = [];
    const lookAtAll = async (paths: readonly string[]) => {
      for (const path of paths) await lookAt(path);
      seen.push(...paths);
    };
    await lookAtAll([...open, setUp]);
    for (const [label, value] of [
      ["Name", "Grace"],
      ["Email", "grace@example.com"],
      ["Password", "correct horse battery"],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(`${url}/`);
    const reset = new URL(cli("people", "reset-password", "grace@example.com").stdout.trim()).pathname;
    await lookAtAll([...closed, reset]);
    expect(routesOfPeople.filter((route) => !seen.some((path) => isAt(path, route)))).toEqual([]);
  });
});
