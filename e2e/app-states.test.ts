import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { getJson, postJson } from "./support/api.ts";
import { messagesOf, pageTop, sidewaysOverflow, visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { copyStarter } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { sharedService, signalbox, startService } from "./support/service.ts";

const person = { name: "Ada", email: "ada@example.com" };
const draft = '{"name": "Kept", "email": "kept@example.com"}';

const sleeper = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({
  slug: "sleeper",
  input: z.object({ isLong: z.boolean() }),
  async run({ isLong }, ctx) {
    if (isLong) await ctx.sleep("night", "1h");
  },
});
`;

const withServices = () =>
  test
    // The example project and a workflow whose runs wait where their input says so.
    .extend(
      "service",
      { scope: "file" },
      sharedService((onCleanup) => {
        const projectDir = copyStarter(onCleanup);
        writeFileSync(join(projectDir, "workflows/sleeper.ts"), sleeper);
        return { projectDir, command: "dev" };
      }),
    )
    // The example project, whose sources the tests change.
    .extend(
      "edited",
      { scope: "file" },
      sharedService((onCleanup) => ({ projectDir: copyStarter(onCleanup), command: "dev" })),
    );
const it = withServices();

const isLive = (page: Page) => page.getByRole("status").getByText("live ·").waitFor();
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("href") ?? document.activeElement?.id ?? "");

async function writeDraft(page: Page): Promise<void> {
  await page.getByRole("radio", { name: "JSON" }).check({ force: true });
  await page.getByRole("textbox", { name: "JSON", exact: true }).fill(draft);
}

/** The text of the editor of the form; `null`: it is not there any more. */
const draftIn = (page: Page) =>
  page
    .locator("aside .cm-line")
    .textContent({ timeout: 5_000 })
    .catch(() => null);

it("while the service does not respond, links keep the page and actions show the error; once it is back, all data is current, drafts can be sent, and what was opened loads", async () => {
  const projectDir = copyStarter();
  const first = await startService({ projectDir, command: "dev" });
  // Without a delivery the canvas says what to send first, over its lowest nodes.
  const { runs } = (await (await postJson(`${first.url}/triggers/signup`, person)).json()) as {
    runs: { runId: string }[];
  };
  const { page } = await visit(first.url);
  await page.goto(`${first.url}/?node=trigger:new-signup&tab=test`);
  await isLive(page);
  await writeDraft(page);
  const { page: canvas } = await visit(first.url);
  await canvas.goto(first.url);
  await isLive(canvas);
  const { page: runPage } = await visit(first.url);
  await runPage.goto(`${first.url}/runs/${runs[0]?.runId}`);
  await isLive(runPage);
  const { page: list } = await visit(first.url);
  await list.goto(`${first.url}/runs`);
  await isLive(list);

  await first.stop();
  for (const each of [page, canvas, runPage, list]) await each.getByRole("status").getByText("reconnecting").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").getByText("Server not reachable").first().waitFor();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page
    .getByText("The service is not responding, so this page stays open. Try again in a moment.", { exact: true })
    .waitFor();
  expect(new URL(page.url()).searchParams.get("tab")).toBe("test");
  await canvas.getByRole("link", { name: /^Trigger new-signup/ }).click();
  const sheet = canvas.getByRole("complementary", { name: "trigger new-signup" });
  await sheet.getByRole("tab", { name: "Schema" }).click();
  await sheet.getByRole("alert").getByText("could not be loaded").waitFor();
  await expectRefusedReplay(runPage);

  await startService({ projectDir, command: "dev", port: Number(new URL(first.url).port) });
  const { runId } = (await (await postJson(`${first.url}/triggers/signup`, person)).json()) as { runId: string };
  for (const each of [page, canvas, list]) await isLive(each);
  await list.locator(`a[data-row-link][href="/runs/${runId}"]`).waitFor();
  const shown = await page.locator("main").innerText();
  expect(await draftIn(page), `${page.url()} shows:\n${shown}`).toBe(draft);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL("**/runs/run_*");
  await sheet.getByRole("region", { name: "Request", exact: true }).getByText("email").first().waitFor();
  expect(await sheet.getByRole("alert").count()).toBe(0);
});

/** A replay while the service does not respond shows the error without a layout shift, at each width. */
async function expectRefusedReplay(page: Page): Promise<void> {
  const replay = page.getByRole("button", { name: "Replay", exact: true });
  const messages = messagesOf(page);
  const header = async () => [await page.getByRole("heading", { level: 1 }).boundingBox(), await replay.boundingBox()];
  for (const width of [390, 768, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const before = await header();
    await replay.click();
    await messages.getByText("The run was not replayed. Server not reachable").waitFor();
    expect(await header()).toEqual(before);
    await messages.getByRole("button", { name: "Dismiss" }).click();
    await messages.getByRole("button").waitFor({ state: "detached" });
  }
}

it("a form keeps its view and draft when the schema of a new build cannot be read", async ({ edited: service }) => {
  const { url, projectDir } = service;
  const { page } = await visit(url);
  await page.goto(`${url}/?node=trigger:new-signup&tab=test`);
  await isLive(page);
  await writeDraft(page);
  let failed = 0;
  await page.route(/\/api\/trpc\/[^?]*triggers\.get/, async (route) => {
    await route.fulfill({ status: 500, body: "{}" });
    failed += 1;
  });
  const file = join(projectDir, "triggers/new-signup.ts");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("email: z.email()", "email: z.email(), city: z.string().optional()"),
  );
  // Each read is tried twice.
  await expect.poll(() => failed).toBeGreaterThanOrEqual(2);
  await page.unrouteAll();
  await postJson(`${url}/triggers/signup`, person);
  await page
    .locator("aside")
    .getByText(/1 fired/)
    .first()
    .waitFor();
  expect(await draftIn(page)).toBe(draft);
});

it("a failed build is shown on every page with its location and fix, until a build succeeds", async ({
  edited: service,
}) => {
  const { projectDir } = service;
  const { page, errors } = await visit(service.url);
  await page.goto(service.url);
  await isLive(page);
  const version = ((await page.getByText("live ·").textContent()) ?? "").slice(-6);
  const file = join(projectDir, "triggers/new-signup.ts");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, good.replace("export default", "export defaul"));
  const pill = page.getByRole("status").getByRole("button", { name: `build failed · showing ${version}` });
  await pill.waitFor();
  await page.goto(`${service.url}/runs`);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("button", { name: "build failed", exact: true }).click();
  const details = page.getByRole("dialog", { name: "Build failed" });
  await details.getByText(/^triggers\/new-signup\.ts:\d+:\d+$/).waitFor();
  await details.getByText("How to fix it:").waitFor();
  await expectSoundPage(page, "a failed build");
  await details.getByRole("button", { name: "Close" }).click();
  writeFileSync(file, good);
  await isLive(page);
  expect(errors).toEqual([]);
});

it("the list of runs names trigger and target at 768, 1024 and 1440 px", async ({ service }) => {
  const { runs } = (await (await postJson(`${service.url}/triggers/signup`, person)).json()) as {
    runs: { runId: string }[];
  };
  const { page } = await visit(service.url);
  await page.goto(`${service.url}/runs`);
  const row = page.locator(`[role=row]:has(a[href="/runs/${runs[0]?.runId}"])`);
  for (const width of [768, 1_024, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const text of ["welcome-email", "new-signup"]) {
      const cell = row.getByRole("cell").getByText(text, { exact: true });
      await cell.waitFor();
      const { shown, whole } = await cell.evaluate((element) => ({
        shown: element.clientWidth,
        whole: element.scrollWidth,
      }));
      expect(shown, `${text} at ${width} px`).toBe(whole);
    }
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
  }
});

it("a user whose token is revoked sees that, and signs in to the same page with their draft", async () => {
  const projectDir = copyStarter();
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  const createToken = () =>
    JSON.parse(cli("keys", "create", "--api", "--scope", "admin", "--name", "person", "--json").stdout) as {
      id: string;
      secret: string;
    };
  expect(cli("build").status).toBe(0);
  const service = await startService({ projectDir, command: "start" });
  const { page } = await visit(service.url);
  const signIn = (secret: string) => signInWithToken(page, secret);
  const token = createToken();
  await page.goto(`${service.url}/?node=trigger:new-signup&tab=test`);
  await signIn("sbt_wrong");
  await page.getByRole("alert").getByText("Invalid token").waitFor();
  await signIn(token.secret);
  await isLive(page);
  await writeDraft(page);
  expect(cli("keys", "revoke", token.id).status).toBe(0);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(() => page.getByRole("alert").allInnerTexts()).toContainEqual(expect.stringMatching(/Sign in$/m));
  await page.getByRole("alert").getByRole("link", { name: "Sign in" }).first().waitFor();
  await page.getByRole("status").getByRole("link", { name: "signed out" }).click();
  await signIn(createToken().secret);
  await page.waitForURL(
    (url) => url.searchParams.get("node") === "trigger:new-signup" && url.searchParams.get("tab") === "test",
  );
  await page.getByRole("radio", { name: "JSON" }).check({ force: true });
  expect(await draftIn(page)).toBe(draft);
});

it("the keyboard focus continues at the row or node that Back returns to", async ({ service }) => {
  for (let sent = 0; sent < 4; sent += 1) await postJson(`${service.url}/triggers/signup`, person);
  const { page, errors } = await visit(service.url);
  await page.goto(`${service.url}/deliveries`);
  await isLive(page);
  await page.locator("a[data-row-link]").nth(3).waitFor();
  for (const key of ["j", "j", "j"]) await page.keyboard.press(key);
  const row = await focused(page);
  expect(row).toMatch("/deliveries/dlv_");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${row}`);
  await expect.poll(() => focused(page)).toBe("content");
  await page.goBack();
  await expect.poll(() => focused(page)).toBe(row);
  await page.goto(`${service.url}/?node=trigger:new-signup`);
  await isLive(page);
  await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor();
  await page.getByRole("heading", { name: "new-signup" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("/?node=trigger%3Anew-signup");
  expect(errors).toEqual([]);
});

it("a reloaded list keeps its position, and a run far down in it is current", async ({ service }) => {
  const start = async (isLong: boolean) =>
    ((await (await postJson(`${service.url}/api/v1/workflows/sleeper/runs`, { isLong })).json()) as { runId: string })
      .runId;
  const open = await start(true);
  await expect
    .poll(async () => (await getJson<{ status: string }>(`${service.url}/api/v1/runs/${open}`)).status)
    .toBe("waiting");
  for (let sent = 0; sent < 70; sent += 1) await start(false);
  const { page, errors } = await visit(service.url, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${service.url}/runs`);
  await isLive(page);
  const row = page.locator(`[role=row]:has(a[href="/runs/${open}"])`);
  await page.locator("a[data-row-link]").nth(5).waitFor();
  await page.mouse.move(640, 400);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 3_000);
      return row.isVisible();
    })
    .toBe(true);
  await row.getByText("waiting").waitFor();
  const top = await pageTop(page);
  await page.reload();
  await isLive(page);
  await expect.poll(() => pageTop(page)).toBeGreaterThan(top - 100);
  await row.getByText("waiting").waitFor();
  expect((await postJson(`${service.url}/api/v1/runs/${open}/cancel`, {})).ok).toBe(true);
  await row.getByText("canceled").waitFor();
  expect(errors).toEqual([]);
});
