import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright";
import { describe, expect, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { RunStep, RunSummary } from "../server/contract/run.ts";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { messagesOf, removeSharedWorker, visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";

const workflow = `import { existsSync } from "node:fs";
import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

class HttpError extends Error {
  override readonly name = "HttpError";
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export default defineWorkflow({
  slug: "close-books",
  input: z.object({ mode: z.enum(["quick", "stream", "fails", "hangs", "sleeps", "naps", "gated", "tries"]), note: z.string().default("") }),
  output: z.object({ closed: z.string() }),
  retries: { attempts: 2, backoff: "fixed", initialDelay: "200ms" },
  async run({ mode, note }, ctx) {
    await ctx.step("load", async () => {
      await pause(5);
      return { rows: 42, source: "<i>ledger</i>" };
    });
    ctx.log.info("Loaded <img src=x onerror=alert(1)>", { note });
    if (mode === "stream") {
      await ctx.step("gate", async () => {
        while (!existsSync(note)) await pause(50);
      });
      ctx.log.warn("The gate is open");
      await ctx.sleep("settle", "1s");
    }
    if (mode === "fails") {
      await ctx.step("post", async () => {
        throw new HttpError("503 <svg onload=alert(2)>");
      });
    }
    if (mode === "tries") {
      await ctx.step("charge", { retries: 3, backoff: "fixed", initialDelay: "1h" }, () => {
        throw new HttpError("429 from the payment service");
      });
    }
    if (mode === "hangs") await ctx.step("hang", ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => setTimeout(reject, 1500, signal.reason))));
    if (mode === "gated") {
      await ctx.step("check", () => {
        if (!existsSync(note)) throw new Error("The gate is closed");
      });
    }
    if (mode === "sleeps") await ctx.sleep("wait for the bank", "3d");
    if (mode === "naps") await ctx.sleep("wait for the bank", "50m");
    return { closed: note };
  },
});
`;

const it = withSharedService((onCleanup) => ({
  projectDir: writeProject({ "workflows/close-books.ts": workflow }, onCleanup),
  command: "dev",
}));

const patient = { interval: 100 };

async function start(service: Service, input: { mode: string; note?: string }): Promise<string> {
  const response = await postJson(`${service.url}/api/v1/workflows/close-books/runs`, input);
  return ((await response.json()) as { runId: string }).runId;
}

/** A file that does not exist yet. Removed when the test ends. */
function gateFile(name: string): string {
  const gate = join(tmpdir(), `signalbox-gate-${process.pid}-${Date.now()}-${name}`);
  onTestFinished(() => rmSync(gate, { force: true }));
  return gate;
}

/** The scripts of the page wait until the result is called. */
async function delayScripts(page: Page): Promise<() => void> {
  const load = Promise.withResolvers<void>();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await load.promise;
    await route.continue();
  });
  return load.resolve;
}

/** A run that has failed, and does not fail again once its gate is open. */
async function failAtGate(service: Service, name: string): Promise<{ id: string; openGate: () => void }> {
  const gate = gateFile(name);
  const id = await start(service, { mode: "gated", note: gate });
  await waitForRun(service, id);
  return { id, openGate: () => writeFileSync(gate, "") };
}

/** Marks the page: a reload would lose it. */
const mark = (page: Page) => page.evaluate(() => document.documentElement.setAttribute("data-seen", "yes"));
const isMarked = (page: Page) => page.evaluate(() => document.documentElement.getAttribute("data-seen") === "yes");
const row = (page: Page, name: RegExp) =>
  page.getByRole("list", { name: /^Timeline of/ }).getByRole("button", { name });
/** The neighbours of a run are read by the browser, which knows the list that the reader came from. */
const isNear = ({ since, until }: Record<string, unknown>) => since !== undefined || until !== undefined;
const idIn = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

describe("the page of a run", () => {
  it("follows a run to its end without a reload", async ({ service }) => {
    const { page, errors, foreignRequests } = await visit(service.url);
    const gate = join(tmpdir(), `signalbox-gate-${process.pid}-${Date.now()}`);
    onTestFinished(() => rmSync(gate, { force: true }));
    const id = await start(service, { mode: "stream", note: gate });
    await page.goto(`${service.url}/runs/${id}`);
    await row(page, /^step gate, in progress/).waitFor();
    await mark(page);
    writeFileSync(gate, "");
    await row(page, /^step gate, done/).waitFor();
    await row(page, /^log, warn: The gate is open/).waitFor();
    await row(page, /^sleep settle/).waitFor();
    await row(page, /^Attempt 1, done/).waitFor();
    await page.getByRole("main").getByText("completed", { exact: true }).waitFor();
    expect(await isMarked(page)).toBe(true);
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    await page.getByRole("radio", { name: "No logs" }).check();
    await vi.waitFor(async () => expect(await row(page, /^log, /).count()).toBe(0), patient);
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("leads to the other runs with its key", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const startWith = async (key: string) => {
      const path = `/api/v1/workflows/close-books/runs?key=${encodeURIComponent(key)}`;
      return z
        .object({ runId: z.string() })
        .parse(await (await postJson(service.url + path, { mode: "quick" })).json());
    };
    const [one, same, other] = [await startWith("shop/7"), await startWith("shop/7"), await startWith("shop/8")];
    await page.goto(`${service.url}/runs/${one.runId}`);
    await page.getByRole("link", { name: "shop/7", exact: true }).click();
    await page.getByText("key shop/7").waitFor();
    const link = ({ runId }: typeof one) => page.locator(`a[data-row-link][href="/runs/${runId}"]`);
    await link(one).waitFor();
    expect([await link(same).count(), await link(other).count()]).toEqual([1, 0]);
    expect(errors).toEqual([]);
  });

  it("shows a run that ended while its page was loading from a link", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const gate = join(tmpdir(), `signalbox-gate-${process.pid}-${Date.now()}-link`);
    onTestFinished(() => rmSync(gate, { force: true }));
    const id = await start(service, { mode: "stream", note: gate });
    await page.goto(`${service.url}/runs`);
    await page.getByText("live ·").waitFor();
    const rendered = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route(`**/runs/${id}?*`, async (route) => {
      const response = await route.fetch();
      if (route.request().headers()["next-router-prefetch"] === undefined) {
        rendered.resolve();
        await arrived.promise;
      }
      await route.fulfill({ response });
    });
    await page.locator(`a[data-row-link][href="/runs/${id}"]`).click();
    await rendered.promise;
    writeFileSync(gate, "");
    await waitForRun(service, id);
    await page
      .locator("[role=row]", { has: page.locator(`a[href="/runs/${id}"]`) })
      .getByText("completed")
      .waitFor();
    arrived.resolve();
    await page.waitForURL(`**/runs/${id}`);
    await page.getByRole("main").getByText("completed", { exact: true }).waitFor();
    await row(page, /^Attempt 1, done/).waitFor();
    expect(errors).toEqual([]);
  });

  it("shows the line of code that failed, for each attempt, and hostile messages as text", async ({ service }) => {
    const { page, errors } = await visit(service.url, { permissions: ["clipboard-read", "clipboard-write"] });
    const id = await start(service, { mode: "fails", note: "<b>note</b>" });
    await waitForRun(service, id);
    await page.goto(`${service.url}/runs/${id}`);
    await page.getByRole("heading", { level: 1, name: "close-books" }).waitFor();
    expect(await page.title()).toBe("✗ close-books · Signalbox");
    // The emphasized action is one.
    expect(await page.locator("main button.bg-accent").allTextContents()).toEqual(["Resume"]);
    const panel = page.getByRole("region", { name: "Errors" });
    const timeline = page.getByRole("region", { name: "Timeline and logs" });
    const [error, rows] = await Promise.all([panel.boundingBox(), timeline.boundingBox()]);
    expect(error && rows && error.y + error.height <= rows.y).toBe(true);
    for (const tab of ["Attempt 2", "Attempt 1"]) {
      await page.getByRole("tab", { name: tab }).click();
      await panel.getByText("503 <svg onload=alert(2)>").first().waitFor();
      await panel.locator("mark", { hasText: `throw new HttpError("503 <svg onload=alert(2)>");` }).waitFor();
      await panel.getByText("workflows/close-books.ts:").first().waitFor();
    }
    await row(page, /^log, info: Loaded <img/)
      .first()
      .click();
    await page
      .getByRole("group", { name: /^Details of Loaded/ })
      .getByText("<b>note</b>")
      .waitFor();
    await row(page, /^backoff/).waitFor();
    await page.getByRole("tab", { name: /^Logs/ }).click();
    const logs = page.getByRole("list", { name: "Logs" });
    await logs.getByText("Loaded <img src=x").first().waitFor();
    expect(await logs.getByRole("listitem").count()).toBe(2);
    await page.getByRole("textbox", { name: "Text in the logs" }).fill("<B>NOTE");
    await page.waitForURL("**find=*");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download these lines" }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toMatch(/^\S+Z INFO Loaded <img .*\{"note":"<b>note<\/b>"\}\n/);
    await page.getByRole("button", { name: "Copy these lines" }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    await page.getByRole("combobox", { name: "Log level" }).selectOption("error");
    await page.getByText("No log line matches").waitFor();
    await page.reload();
    await page.getByText("0 of 2 lines").waitFor();
    expect(await page.locator("img[src=x], svg[onload], b:text-is('note')").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it("shows the result of a step, whose link opens it, and steps through the list that the reader came from", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    const note = `trail-${Date.now()}`;
    const older = await start(service, { mode: "sleeps", note });
    await start(service, { mode: "quick" });
    const newer = await start(service, { mode: "fails", note });
    await waitForRun(service, newer);
    await page.goto(`${service.url}/runs?${new URLSearchParams({ text: note })}`);
    await page.getByText("live ·").waitFor();
    await page.getByRole("link", { name: newer }).click();
    await page.waitForURL(`**/runs/${newer}`);
    await row(page, /^step load, done/).click();
    const result = page.getByRole("region", { name: "Result of load" });
    await result.getByText('"<i>ledger</i>"').waitFor();
    await result.getByText("36 B").waitFor();
    await result.getByRole("button", { name: "Copy the result" }).waitFor();
    await page.waitForURL("**?step=load&attempt=1");
    await page.reload();
    await result.getByText("42").waitFor();
    expect(await row(page, /^step load, stored result reused/).getAttribute("aria-expanded")).toBe("false");
    const { data } = await getJson<{ data: RunStep[] }>(`${service.url}/api/v1/runs/${newer}/steps?name=load`);
    expect(data).toMatchObject([{ name: "load", result: { rows: 42, source: "<i>ledger</i>" }, resultBytes: 36 }]);

    await page.keyboard.press("j");
    await page.waitForURL(`**/runs/${older}`);
    await page.getByText(/^sleeps until \d+ \w+, \d\d:\d\d, in 2 d$/).waitFor();
    expect(await page.title()).toBe("◔ close-books · Signalbox");
    expect(await page.getByRole("button", { name: "Older run (j)" }).isDisabled()).toBe(true);
    await page.keyboard.press("k");
    await page.waitForURL(`**/runs/${newer}`);
    await page.getByRole("link", { name: "Runs", exact: true }).last().click();
    await page.waitForURL(`**/runs?text=${note}`);
    expect(errors).toEqual([]);
  });

  it("shows until when a run sleeps, with the rest of the time", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const id = await start(service, { mode: "naps" });
    await page.goto(`${service.url}/runs/${id}`);
    await page.getByText(/^sleeps until \d\d:\d\d:\d\d, in (49|50) min$/).waitFor();
    expect(errors).toEqual([]);
  });

  it("arrives with all of its data: the browser reads none of it again", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const id = await start(service, { mode: "fails" });
    await waitForRun(service, id);
    // The stream of live data would report that everything may have changed.
    await removeSharedWorker(page);
    await page.route(/\/api\/trpc\/live/, () => undefined);
    const reads: [name: string, input: Record<string, unknown>][] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/api/trpc/")) return;
      const inputs = JSON.parse(request.postData() ?? "{}") as Record<string, Record<string, unknown>>;
      for (const [at, name] of pathname.slice("/api/trpc/".length).split(",").entries())
        reads.push([name, inputs[at] ?? {}]);
    });
    await page.goto(`${service.url}/runs/${id}`);
    await vi.waitFor(() => expect(reads.filter(([, input]) => isNear(input))).toHaveLength(2), patient);
    await row(page, /^Attempt 2, failed/).waitFor();
    const ofPage = reads.filter(
      ([name, input]) => name.startsWith("runs.") && !isNear(input) && input["needsApproval"] === undefined,
    );
    expect(ofPage).toEqual([]);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expect(errors).toEqual([]);
  });

  it("shows the failed try of a step with its error, and the time of the next one, until the run is canceled", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    const id = await start(service, { mode: "tries" });
    await page.goto(`${service.url}/runs/${id}`);
    await row(page, /^charge: backoff .*, waiting/).waitFor();
    await row(page, /^step charge, failed/).click();
    const details = page.getByRole("group", { name: "Details of charge" });
    await details.getByText("1 of 4").waitFor();
    await details.getByText("next try").waitFor();
    await details.getByText("429 from the payment service").first().waitFor();
    await page.getByRole("button", { name: "Cancel run", exact: true }).click();
    await page.getByRole("dialog", { name: "Cancel this run?" }).getByRole("button", { name: "Cancel run" }).click();
    await row(page, /^charge: backoff .*, stopped/).waitFor();
    await page.getByRole("main").getByText("canceled", { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  it("resumes a failed run on its page: finished steps are reused, and the page follows it to its end", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    const { id, openGate } = await failAtGate(service, "resume");
    await page.goto(`${service.url}/runs/${id}`);
    await page.getByText("continues after the last finished step").waitFor();
    await mark(page);
    openGate();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await row(page, /^Resumed/).waitFor();
    await row(page, /^Attempt 3, done/).waitFor();
    await row(page, /^step load, stored result reused/)
      .last()
      .waitFor();
    await page.getByRole("main").getByText("completed", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Resume", exact: true }).count()).toBe(0);
    expect(await isMarked(page)).toBe(true);
    expect(await waitForRun(service, id)).toMatchObject({ status: "completed", attempt: 3 });
    expect(errors).toEqual([]);
  });

  it("a button that is clicked before the scripts of the page have loaded acts once they have, one time", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    const { id, openGate } = await failAtGate(service, "early");
    openGate();
    const loadScripts = await delayScripts(page);
    const resumes: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("runs.resume")) resumes.push(request.url());
    });
    await page.goto(`${service.url}/runs/${id}`, { waitUntil: "commit" });
    const button = page.getByRole("button", { name: "Resume", exact: true });
    await button.click();
    await button.click();
    expect(resumes).toEqual([]);
    loadScripts();
    await messagesOf(page).getByText("Resumed.").waitFor();
    await row(page, /^Attempt 3, done/).waitFor();
    expect(resumes).toHaveLength(1);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await messagesOf(page).getByText("Replayed.").waitFor();
    expect(errors).toEqual([]);
  });

  it("a menu that is clicked before the scripts of the page have loaded opens once they have", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const loadScripts = await delayScripts(page);
    await page.goto(`${service.url}/runs`, { waitUntil: "commit" });
    await page.getByRole("button", { name: /^Theme: / }).click();
    loadScripts();
    await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
    await page.getByRole("button", { name: "Theme: Dark" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("replays with the same input and with a changed one, and the runs link to each other", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const first = await start(service, { mode: "quick", note: "first" });
    await waitForRun(service, first);
    await page.goto(`${service.url}/runs/${first}`);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/runs/") && !url.pathname.endsWith(first));
    const second = idIn(page);
    expect(await waitForRun(service, second)).toMatchObject({
      replayOf: first,
      startedBy: "replay",
      input: { mode: "quick", note: "first" },
    });
    await page
      .getByRole("link", { name: first.slice(-8) })
      .first()
      .click();
    await page.waitForURL(`**/runs/${first}`);
    await page.getByRole("link", { name: second.slice(-8) }).waitFor();

    await page.getByRole("button", { name: "Replay with changes" }).click();
    await page.waitForURL("**?replay=edit");
    await page.reload();
    const dialog = page.getByRole("dialog", { name: "Replay with changes" });
    await dialog.getByRole("textbox", { name: /note/ }).fill("changed");
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await page.waitForURL((url) => url.search === "" && !url.pathname.endsWith(first));
    expect(await waitForRun(service, idIn(page))).toMatchObject({
      replayOf: first,
      input: { mode: "quick", note: "changed" },
    });
    expect(errors).toEqual([]);
  });

  it("cancels an active run after confirmation, and shows that cancellation is requested", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const id = await start(service, { mode: "hangs" });
    await page.goto(`${service.url}/runs/${id}`);
    await row(page, /^step hang, in progress/).waitFor();
    await page.getByRole("button", { name: "Cancel run", exact: true }).click();
    await page.getByRole("dialog", { name: "Cancel this run?" }).getByRole("button", { name: "Cancel run" }).click();
    await row(page, /^Cancel requested/).waitFor();
    await row(page, /^Canceled/).waitFor();
    await page.getByRole("main").getByText("canceled", { exact: true }).waitFor();
    await page.reload();
    await row(page, /^step hang, stopped/).waitFor();
    expect(
      await page
        .getByRole("button", { name: /^(Cancel|Stopping)/ })
        .and(page.locator("[type=button]:not([data-row])"))
        .count(),
    ).toBe(0);
    expect(errors).toEqual([]);
  });
});

describe("the list of runs", () => {
  it("is filtered by the URL, continues beyond 100 rows, and acts on all matching runs, whose number it shows", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    const needle = `needle-${Date.now()}`;
    const ids: string[] = [];
    for (let done = 0; done < 120; done += 10)
      ids.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => start(service, { mode: "quick", note: needle })))),
      );
    await Promise.all(["sleeps", "sleeps", "sleeps"].map((mode) => start(service, { mode, note: needle })));
    await vi.waitFor(async () => expect(await countRuns(service, `text=${needle}&status=completed`)).toBe(120), {
      interval: 300,
    });

    await page.goto(`${service.url}/runs`);
    await page.getByRole("textbox", { name: "Text in the payload or input" }).fill(needle);
    await page.waitForURL(`**text=${needle}*`);
    await page.getByRole("combobox", { name: "Status" }).selectOption("completed");
    await page.waitForURL("**status=completed*");
    const chips = page.getByRole("list", { name: "Active filters" });
    const table = page.getByRole("table", { name: "Runs" });
    // The rows of before stay until those that match are there.
    await vi.waitFor(async () => expect(await table.getByText("waiting", { exact: true }).count()).toBe(0), patient);
    await table.getByRole("link", { name: ids.at(-1) }).waitFor();
    // Next writes the URL of a first change once more before that of a second one.
    const wanted = { text: needle, status: "completed" };
    await vi.waitFor(() => expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(wanted), patient);
    await page.goto(`${service.url}/runs?${new URLSearchParams(wanted)}`);
    await chips.getByText(`contains “${needle}”`).waitFor();
    await table.getByRole("link", { name: ids.at(-1) }).waitFor();
    expect(await table.getByText("waiting", { exact: true }).count()).toBe(0);
    await page.mouse.move(640, 400);
    await vi.waitFor(async () => {
      await page.mouse.wheel(0, 4_000);
      expect(await table.getByRole("link", { name: ids[0] }).count()).toBe(1);
    }, patient);

    await page.evaluate(() => document.getElementById("content")?.scrollTo(0, 0));
    await page.reload();
    await table.getByRole("link", { name: ids.at(-1) }).waitFor();
    await table.getByRole("checkbox", { name: "Select all listed rows" }).check();
    await page.getByRole("button", { name: "Select all 120 matching runs" }).click();
    await page.getByText("All 120 matching runs are selected").waitFor();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Replay 120 runs?" })
      .getByRole("button", { name: "Replay 120 runs" })
      .click();
    const done = page.getByRole("dialog", { name: "Replayed" });
    await done.getByText("120 of 120").waitFor();
    await done.getByRole("button", { name: "Close" }).last().click();
    expect(await countRuns(service, `text=${needle}`)).toBe(243);

    const overTime = page.getByRole("region", { name: "Runs over time" });
    await overTime.getByText("Counted without the filter by text.").waitFor();
    await overTime.getByRole("button", { name: /^\d+ completed$/, pressed: true }).click();
    await page.waitForURL((url) => !url.searchParams.has("status"));
    await overTime.getByRole("button", { name: /^[3-9] waiting$/, pressed: false }).click();
    await page.waitForURL("**status=waiting*");
    await table.getByText("waiting", { exact: true }).first().waitFor();
    await table.getByRole("checkbox", { name: "Select all listed rows" }).check();
    await page.getByRole("button", { name: "Cancel runs", exact: true }).click();
    await page.getByRole("dialog", { name: "Cancel 3 runs?" }).getByRole("button", { name: "Cancel 3 runs" }).click();
    await page.getByRole("dialog", { name: "Canceled" }).getByRole("button", { name: "Close" }).last().click();
    await page.getByText("No runs match these filters").waitFor();
    expect(await countRuns(service, `text=${needle}&status=canceled`)).toBe(3);
    await page.getByRole("button", { name: "Clear all filters" }).click();
    await page.waitForURL(`${service.url}/runs`);
    await table.getByText("completed", { exact: true }).first().waitFor();
    await overTime.getByRole("radio", { name: "1h", exact: true }).check();
    await page.waitForURL("**since=1h");
    expect(await page.getByRole("combobox", { name: "Time" }).inputValue()).toBe("1h");
    await overTime.getByRole("slider", { name: "Until" }).press("Home");
    await page.waitForURL(/since=.*until=/);
    await page.getByText("No runs match these filters").waitFor();
    expect(errors).toEqual([]);
  });

  it("accepts the times of the API in its URL; what cannot be read is an error, until its chip is removed", async ({
    service,
  }) => {
    const { page } = await visit(service.url);
    await start(service, { mode: "quick", note: "now" });
    for (const [path, label] of [
      ["runs", "Runs"],
      ["deliveries", "Deliveries"],
    ]) {
      await page.goto(`${service.url}/${path}?since=2020-01-01T10%3A00%3A00%2B01%3A00`);
      await page.getByText("since 2020-01-01 09:00 UTC").waitFor();
      expect(await page.getByText(`${label} could not be loaded`).count()).toBe(0);
      await page.goto(`${service.url}/${path}?until=soon`);
      await page.getByText(`${label} could not be loaded`).waitFor();
      await page.getByText("Must be an ISO 8601 time").first().waitFor();
      await page.getByRole("button", { name: "Remove the filter: before “soon”" }).click();
      await page.getByText(`${label} could not be loaded`).waitFor({ state: "detached" });
    }
  });

  it("resumes all unresolved failures after their number is confirmed, and marks them", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const gate = gateFile("bulk");
    const since = new Date().toISOString();
    const ids = await Promise.all([1, 2, 3].map(() => start(service, { mode: "gated", note: gate })));
    for (const id of ids) await waitForRun(service, id);
    const replayed = await postJson(`${service.url}/api/v1/runs/${ids[0]}/replay`, {});
    const { runId } = (await replayed.json()) as { runId: string };
    await waitForRun(service, runId);
    writeFileSync(gate, "");

    await page.goto(`${service.url}/runs?${new URLSearchParams({ since })}`);
    const table = page.getByRole("table", { name: "Runs" });
    await table.getByText(`replayed as …${runId.slice(-8)}`).waitFor();
    await page.goto(`${service.url}/runs?${new URLSearchParams({ since, unresolved: "true" })}`);
    await table.getByRole("link", { name: runId }).waitFor();
    expect(await page.getByRole("combobox", { name: "Status" }).inputValue()).toBe("unresolved");
    await vi.waitFor(async () => expect(await table.getByRole("link", { name: ids[0] }).count()).toBe(0), patient);
    await table.getByRole("checkbox", { name: "Select all listed rows" }).check();
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByRole("dialog", { name: "Resume 3 runs?" }).getByRole("button", { name: "Resume 3 runs" }).click();
    const done = page.getByRole("dialog", { name: "Resumed" });
    await done.getByText("3 of 3").waitFor();
    const bar = done.getByRole("progressbar", { name: "Progress" });
    expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["3", "3"]);
    await expectSoundPage(page, "runs that were resumed together");
    await done.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("No runs match these filters").waitFor();
    for (const id of [runId, ...ids.slice(1)])
      expect(await waitForRun(service, id)).toMatchObject({ status: "completed" });
    await page.getByRole("button", { name: "Remove the filter: unresolved" }).click();
    await table.getByText("resumed", { exact: true }).first().waitFor();
    expect(errors).toEqual([]);
  });

  it("is exported as files with the filtered runs", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    const failing = await start(service, { mode: "fails", note: "a,b" });
    await waitForRun(service, failing);
    await waitForRun(service, await start(service, { mode: "quick" }));
    await page.goto(`${service.url}/runs?status=failed`);
    await page.getByRole("table", { name: "Runs" }).getByRole("link", { name: failing }).waitFor();
    const files = new Map<string, string>();
    for (const format of ["JSON Lines", "CSV"]) {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: format }).click(),
      ]);
      files.set(format, readFileSync(await download.path(), "utf8"));
    }
    const lines = files.get("JSON Lines")?.trim().split("\n") ?? [];
    expect(lines.map((line) => (JSON.parse(line) as RunSummary).status)).toContain("failed");
    expect(lines.map((line) => (JSON.parse(line) as RunSummary).id)).toContain(failing);
    expect(lines.every((line) => (JSON.parse(line) as RunSummary).status === "failed")).toBe(true);
    const csv = files.get("CSV")?.trim().split(/\r?\n/) ?? [];
    expect(csv[0]?.split(",")).toContain("id");
    expect(csv.some((line) => line.includes(failing))).toBe(true);
    expect(errors).toEqual([]);
  });
});

async function countRuns(service: Service, query: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: unknown[]; nextCursor: string | null } = await getJson(
      `${service.url}/api/v1/runs?limit=100&${query}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    count += page.data.length;
    cursor = page.nextCursor;
  }
  return count;
}
