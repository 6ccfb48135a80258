import type { Page } from "playwright";
import { describe, expect, vi } from "vitest";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import { pageTop, visit } from "./support/browser.ts";
import { copyStarter } from "./support/project.ts";
import { type Service, withSharedService } from "./support/service.ts";

const it = withSharedService((onCleanup) => ({ projectDir: copyStarter(onCleanup), command: "dev" }));

const patient = { interval: 100 };

const person = { name: "Ada", email: "ada@example.com" };

async function startRun(service: Service): Promise<string> {
  const response = await postJson(`${service.url}/triggers/signup`, person);
  const { runId } = (await response.json()) as { runId: string };
  await waitForRun(service, runId);
  return runId;
}

async function countRuns(service: Service, cursor = ""): Promise<number> {
  const { data, nextCursor } = await getJson<{ data: unknown[]; nextCursor: string | null }>(
    `${service.url}/api/v1/runs?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
  );
  return data.length + (nextCursor === null ? 0 : await countRuns(service, nextCursor));
}

/** Keys count from the moment on that the page is live. */
const isLive = (page: Page) => page.getByRole("status").getByText("live ·").waitFor();

describe("the search", () => {
  it("goes to a trigger on the canvas by keyboard alone, also when typing fast, and remembers it", async ({
    service,
  }) => {
    const { page, errors, foreignRequests } = await visit(service.url);
    await page.goto(`${service.url}/runs`);
    await isLive(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).waitFor();
    await page.keyboard.type("new-signup");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/" && url.searchParams.get("node") === "trigger:new-signup");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "new-signup on signup" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("opens actions and settings: send a test event, run, disable, keys", async ({ service }) => {
    const { page, errors } = await visit(service.url);
    await page.goto(`${service.url}/runs`);
    await isLive(page);
    const choose = async (text: string, name: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill(text);
      await page.getByRole("option", { name }).click();
    };
    await choose("send new-sign", "Send test event to new-signup");
    await page
      .getByRole("complementary", { name: "trigger new-signup" })
      .getByRole("button", { name: "Send" })
      .waitFor();
    await choose("welcome", "Run welcome-email");
    await page
      .getByRole("complementary", { name: "workflow welcome-email" })
      .getByRole("button", { name: "Run" })
      .waitFor();
    await choose("disable new-signup", "Disable new-signup");
    await page.getByRole("dialog", { name: "Disable new-signup?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "trigger new-signup" }).waitFor();
    await choose("token", "Keys and tokens");
    await page.waitForURL("**/settings/keys");
    expect(errors).toEqual([]);
  });

  it("finds a run by its id in any form, and text in bodies, by mouse", async ({ service }) => {
    const runId = await startRun(service);
    const { page, errors } = await visit(service.url);
    for (const form of [runId, `${service.url}/runs/${runId}`, `…${runId.slice(-8)}`, runId.slice(-8).toLowerCase()]) {
      await page.goto(`${service.url}/deliveries`);
      await isLive(page);
      await page.getByRole("button", { name: /^Search/ }).click();
      await page.getByRole("combobox", { name: "Search" }).fill(form);
      await page.getByRole("option", { name: new RegExp(`^${runId}`) }).click();
      await page.waitForURL(`**/runs/${runId}`);
    }
    await page.getByRole("button", { name: /^Search/ }).click();
    await page.getByRole("combobox", { name: "Search" }).fill("ada@example.com");
    await page.getByRole("option", { name: "in the body" }).click();
    await page.waitForURL(
      (url) => url.pathname === "/deliveries" && url.searchParams.get("text") === "ada@example.com",
    );
    expect(errors).toEqual([]);
  });
});

it("keyboard shortcuts open every page, and are plain letters in text fields", async ({ service }) => {
  const { page, errors } = await visit(service.url);
  await page.goto(`${service.url}/deliveries`);
  await isLive(page);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Go to the runs").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL("**/runs");
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("gd?/t");
  const filter = page.locator("input[data-filter-input]");
  expect(await filter.inputValue()).toBe("gd?/t");
  await page.waitForURL((url) => url.pathname === "/runs" && url.searchParams.get("text") === "gd?/t");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: /^Shortcuts with a single key/ }).uncheck();
  await page.keyboard.press("Escape");
  for (const key of ["?", "g", "d", "t"]) await page.keyboard.press(key);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/runs");

  const older = await startRun(service);
  const newer = await startRun(service);
  await page.goto(`${service.url}/runs/${older}`);
  await isLive(page);
  await expect.poll(() => page.getByRole("button", { name: /^Newer run/ }).isEnabled(), patient).toBe(true);
  await page.keyboard.press("k");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("shortcuts");
  expect(new URL(page.url()).pathname).toBe(`/runs/${older}`);
  await page.getByRole("option", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("checkbox", { name: /^Shortcuts with a single key/ }).check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("k");
  await page.waitForURL(`**/runs/${newer}`);
  expect(errors).toEqual([]);
});

it("a click, a key and a search result show at once that their page loads", async ({ service }) => {
  const { page, errors } = await visit(service.url);
  await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
  await page.goto(`${service.url}/deliveries`);
  await isLive(page);
  const progress = page.getByRole("progressbar", { name: "Loading the page" });
  const whileLoading = async (act: () => Promise<void>, path: RegExp) => {
    const held = Promise.withResolvers<void>();
    await page.route(
      (url) => url.searchParams.has("_rsc"),
      async (route) => {
        await held.promise;
        await route.continue();
      },
    );
    await act();
    await progress.waitFor();
    held.resolve();
    await page.waitForURL(path);
    await progress.waitFor({ state: "detached" });
    await page.unrouteAll({ behavior: "wait" });
  };
  await whileLoading(async () => {
    await page.locator("a[data-row-link]").first().click();
    await page.locator("a[data-row-link] .animate-pulse").waitFor();
  }, /\/deliveries\/dlv_/);
  await whileLoading(() => page.getByRole("link", { name: "Runs", exact: true }).click(), /\/runs$/);
  await whileLoading(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("d");
  }, /\/deliveries$/);
  await whileLoading(async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("audit");
    await page.getByRole("option", { name: /audit/i }).first().click();
  }, /\/settings\/audit$/);
  expect(errors).toEqual([]);
});

it("a chosen theme survives a reload, and 'System' follows the operating system", async ({ service }) => {
  const { page, errors } = await visit(service.url, { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const choose = async (theme: string) => {
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemcheckbox", { name: theme }).click();
  };
  await page.goto(`${service.url}/runs`);
  await isLive(page);
  const light = await ground();
  await choose("Dark");
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload({ waitUntil: "commit" });
  await vi.waitFor(async () => expect(await ground()).toBe(dark), patient);
  await isLive(page);
  await choose("System");
  await expect.poll(ground, patient).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(ground, patient).toBe(dark);
  expect(errors).toEqual([]);
});

it("a long list renders only visible rows, keeps its position while rows arrive, and Back restores the row", async ({
  service,
}) => {
  await Promise.all(Array.from({ length: 120 }, () => postJson(`${service.url}/triggers/signup`, person)));
  const total = await countRuns(service);
  const { page, errors } = await visit(service.url, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${service.url}/runs`);
  await isLive(page);
  const rows = page.getByRole("table", { name: "Runs" }).locator("a[data-row-link]");
  await rows.first().waitFor();
  await page.mouse.move(640, 400);
  await vi.waitFor(async () => {
    await page.mouse.wheel(0, 4_000);
    expect(await page.getByText(`End of the list: ${total} rows.`).isVisible()).toBe(true);
  }, patient);
  expect(await rows.count()).toBeLessThan(60);
  await page.evaluate(() => document.getElementById("content")?.scrollTo(0, 2_400));
  const inSight = () =>
    page.evaluate(() =>
      document
        .elementFromPoint(700, 400)
        ?.closest("[role=row]")
        ?.querySelector("a[data-row-link]")
        ?.getAttribute("href"),
    );
  await vi.waitFor(async () => expect(await inSight()).toMatch("/runs/run_"), patient);
  const row = await inSight();
  await postJson(`${service.url}/triggers/signup`, person);
  await page.getByRole("button", { name: "1 new" }).waitFor();
  expect(await inSight()).toBe(row);
  await page.mouse.click(700, 400);
  await page.waitForURL(`**${row}`);
  await page.getByRole("heading").first().waitFor();
  await page.goBack();
  await vi.waitFor(async () => expect(await inSight()).toBe(row), patient);
  await page.getByRole("button", { name: "1 new" }).click();
  await vi.waitFor(async () => expect(await pageTop(page)).toBe(0), patient);
  expect(errors).toEqual([]);
});

it("rows are focused, selected and opened by keyboard alone", async ({ service }) => {
  await Promise.all(Array.from({ length: 4 }, () => startRun(service)));
  const { page } = await visit(service.url);
  await page.goto(`${service.url}/runs`);
  await isLive(page);
  await page.locator("a[data-row-link]").nth(3).waitFor();
  for (const key of ["j", "j", "Space", "j", "j", "Shift+Space", "k"]) await page.keyboard.press(key);
  await expect
    .poll(() => page.getByRole("checkbox", { name: /^Select .*run/i, checked: true }).count(), patient)
    .toBe(3);
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("href"));
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${focused}`);
});
