import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { describe, expect, test, vi } from "vitest";
import { postJson } from "./support/api.ts";
import { onSlowMachine, sidewaysOverflow, visit } from "./support/browser.ts";
import { copyStarter, writeProject } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { type Service, sharedService, signalbox, startService } from "./support/service.ts";

const invoice = (type: unknown, amount = 4_900) => ({
  id: "evt_1",
  type,
  invoice: { number: "2026-1", customer: "Ada", amount, currency: "eur" },
});

/** Adds a second trigger like `new-signup` to the project. */
function addSignupTrigger({ projectDir }: Service, slug: string, endpoint: string): void {
  const text = readFileSync(join(projectDir, "triggers/new-signup.ts"), "utf8");
  writeFileSync(
    join(projectDir, `triggers/${slug}.ts`),
    text.replace("new-signup", slug).replace(`endpoint: "signup"`, `endpoint: "${endpoint}"`),
  );
}

const person = { name: "Ada", email: "ada@example.com" };

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { interval: 200 });

const nodeOf = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
const placeOf = (page: Page, id: string) =>
  page.locator(`.react-flow__node[data-id="${id}"]`).evaluate((node) => node.style.transform);
const viewOf = (page: Page) => page.locator(".react-flow__viewport").evaluate((plane) => plane.style.transform);

async function dragBy(page: Page, from: { x: number; y: number }, by: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 6 });
  await page.mouse.up();
}

async function dragNode(page: Page, id: string, by: { x: number; y: number }) {
  const box = await nodeOf(page, id).boundingBox();
  if (!box) throw new Error(`${id} is not in sight`);
  await dragBy(page, { x: box.x + 70, y: box.y + box.height - 8 }, by);
}

/** Nodes whose box is at least partly, or (`whole`) completely, in the pane. */
function nodesInView(page: Page, p: { whole: boolean } = { whole: false }): Promise<string[]> {
  return page.evaluate(({ whole }) => {
    const pane = document.querySelector(".react-flow__pane")?.getBoundingClientRect();
    if (!pane) return [];
    return [...document.querySelectorAll<HTMLElement>("[data-node]")].flatMap((node) => {
      const box = node.getBoundingClientRect();
      const touches = box.right > pane.left && box.left < pane.right && box.bottom > pane.top && box.top < pane.bottom;
      const isWhole =
        box.left >= pane.left && box.right <= pane.right && box.top >= pane.top && box.bottom <= pane.bottom;
      return (whole ? isWhole : touches) ? [node.dataset["node"] ?? ""] : [];
    });
  }, p);
}

/** The share of the pane's width that the nodes use. 1 if they are shown at their full size. */
function shareOfPane(page: Page): Promise<number> {
  return page.evaluate(() => {
    const pane = document.querySelector(".react-flow__pane")?.getBoundingClientRect();
    const boxes = [...document.querySelectorAll("[data-node]")].map((node) => node.getBoundingClientRect());
    const scale = Number(
      /scale\(([\d.]+)\)/.exec(
        document.querySelector<HTMLElement>(".react-flow__viewport")?.style.transform ?? "",
      )?.[1],
    );
    // 64 px at the left and 24 px at the right stay free.
    return scale === 1
      ? 1
      : (Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left))) /
          ((pane?.width ?? 0) - 88);
  });
}

/** The tab showed a part of the plane without a node before. */
async function lookAway(page: Page) {
  await page.evaluate(() => {
    for (const name of Object.keys(sessionStorage))
      if (name.includes("canvas.viewport"))
        sessionStorage.setItem(
          name,
          JSON.stringify({ filter: "", node: null, viewport: { x: -3_000, y: -3_000, zoom: 1 } }),
        );
  });
}

/** Moves all nodes out of the window by the wheel. */
async function lookAwayByHand(page: Page) {
  await page.mouse.move(640, 400);
  await until(async () => {
    await page.mouse.wheel(4_000, 0);
    expect(await nodesInView(page)).toEqual([]);
  });
}

const triggerOfMany = (index: number) => `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";
export default defineWebhookSource({ slug: "t${index}", endpoint: "${index < 24 ? "many" : `more/${index % 8}`}", request: z.object({}) }).attach({ workflow: work, transform: () => ({}) });`;
const workOfMany = `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "work", input: z.object({}), async run() {} });`;

/** Each service is shared by all tests that name it. */
const withServices = () =>
  test
    // The example project. Each endpoint belongs to one test: `billing` to the numbers of triggers, `github` to the
    // agent, `signup` to the narrow screen.
    .extend(
      "service",
      { scope: "file" },
      sharedService((onCleanup) => ({ projectDir: copyStarter(onCleanup), command: "dev" })),
    )
    // The example project, which tests add triggers to.
    .extend(
      "edited",
      { scope: "file" },
      sharedService((onCleanup) => ({ projectDir: copyStarter(onCleanup), command: "dev" })),
    )
    // So large that its endpoints start collapsed. A filter by one endpoint shows few nodes, which are other ones once
    // its triggers are collapsed.
    .extend(
      "manyTriggers",
      { scope: "file" },
      sharedService((onCleanup) => {
        const files = Object.fromEntries(
          Array.from({ length: 104 }, (_, index) => [`triggers/t${index}.ts`, triggerOfMany(index)]),
        );
        return { projectDir: writeProject({ ...files, "workflows/work.ts": workOfMany }, onCleanup), command: "dev" };
      }),
    );
const it = withServices();

/** `slowNode`: the node whose link is followed on a slow machine. */
const viewports = [
  { width: 768, height: 900, slowNode: "trigger:new-signup" },
  { width: 1_440, height: 900, slowNode: "workflow:notify-finance" },
  { width: 1_920, height: 1_080, slowNode: "endpoint:billing" },
];

async function copySignupUrl(page: Page): Promise<string> {
  // All pages of a browser have one clipboard.
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: "Copy the URL of signup" }).click();
  return until(async () => {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain("/triggers/signup");
    return text;
  });
}

describe("before the first delivery", () => {
  // The first test with this service: others send something to it.
  it("the canvas shows a curl command, which disappears with the first delivery", async ({ edited: service }) => {
    const { page } = await visit(service.url);
    await page.goto(service.url);
    const first = page.getByRole("region", { name: "No deliveries yet" });
    await first.getByText(`curl -i ${service.url}/triggers/`).waitFor();
    await postJson(`${service.url}/triggers/signup`, person);
    await first.waitFor({ state: "detached" });
    expect(await page.getByRole("link", { name: /^Trigger / }).count()).toBe(6);
  });
});

describe("the canvas", () => {
  it("counts matches and mismatches live, and each number links to exactly those deliveries", async ({ service }) => {
    const { page, errors, foreignRequests } = await visit(service.url);
    await page.goto(service.url);
    await page.getByRole("link", { name: /^Trigger invoice-paid/ }).waitFor();
    expect(await page.locator(".react-flow__edge").count()).toBeGreaterThanOrEqual(10);
    const answers: Response[] = [];
    for (const type of ["invoice.paid", "invoice.paid", "invoice.payment_failed", 7])
      answers.push(await postJson(`${service.url}/triggers/billing`, invoice(type)));
    const ids = answers.map(({ headers }) => headers.get("signalbox-delivery") ?? "");
    await page.getByRole("link", { name: "Trigger invoice-paid, 2 fired, 2 stopped" }).waitFor();
    await page.getByRole("link", { name: "Trigger large-invoice, 0 fired, 4 stopped" }).waitFor();
    await page.getByRole("link", { name: /^Workflow post-to-ledger, last run completed/ }).waitFor();
    const chip = nodeOf(page, "trigger:invoice-paid");
    expect(await chip.getByRole("link", { name: /^2 stopped:/ }).getAttribute("title")).toBe(
      "1 stopped by request, 1 by filter",
    );
    await chip.getByRole("link", { name: "2 passed" }).click();
    await page.waitForURL("**/deliveries?*verdict=matched*");
    const shown = () =>
      page
        .locator('a[href^="/deliveries/dlv_"]')
        .evaluateAll((links) =>
          [...new Set(links.map((link) => (link.getAttribute("href") ?? "").split("/").at(-1) ?? ""))].toSorted(),
        );
    await until(async () => expect(await shown()).toEqual(ids.slice(0, 2).toSorted()));
    await page.goBack();
    await chip.getByRole("link", { name: /^2 stopped:/ }).click();
    await page.waitForURL("**/deliveries?*verdict=stopped*");
    await until(async () => expect(await shown()).toEqual(ids.slice(2).toSorted()));
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("opens every kind of node at the side, in the URL, and closes it with Escape", async ({ service }) => {
    // So wide that all three columns stay visible beside a sheet: invisible nodes are not drawn.
    const { page, errors } = await visit(service.url, { viewport: { width: 1_920, height: 1_000 } });
    await page.goto(service.url);
    for (const [name, id] of [
      [/^Endpoint \/triggers\/billing/, "endpoint:billing"],
      [/^Trigger ci-failed/, "trigger:ci-failed"],
      [/^Agent triage/, "agent:triage"],
      [/^Workflow welcome-email/, "workflow:welcome-email"],
    ] as const) {
      await page.getByRole("link", { name }).click();
      await page.waitForURL((url) => url.searchParams.get("node") === id);
      await page.getByRole("complementary", { name: id.replace(":", " ") }).waitFor();
    }
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.searchParams.get("node") === null);
    await page.goBack();
    await page.getByRole("complementary", { name: "workflow welcome-email" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("an agent shows its model, tools and prompt, is found by a tool's name, and shows the usage of its runs", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url, { viewport: { width: 1_920, height: 1_000 } });
    await page.goto(service.url);
    await page
      .getByRole("link", { name: "Agent triage, scripted without a model, 2 tools, 1 needs approval" })
      .waitFor();
    await nodeOf(page, "agent:triage").getByText("Scripted, no model").waitFor();
    await nodeOf(page, "trigger:new-issue").getByText("prompt: New issue #{{ issue.number }} in").waitFor();
    const issue = { number: 1, title: "A typo in the README", body: null };
    await postJson(`${service.url}/triggers/github`, {
      action: "opened",
      issue,
      repository: { full_name: "acme/app" },
    });
    await page.getByRole("link", { name: /^Agent triage, .*, last run completed/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("updateIss");
    await page.getByRole("option", { name: "updateIssue tool of triage" }).waitFor();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("complementary", { name: "agent triage" });
    await sheet.getByRole("listitem").filter({ hasText: "updateIssue" }).getByText("may need approval").waitFor();
    await sheet.getByText("You sort new issues of a software project.").first().click();
    await sheet.getByText("First look for open issues like the new one").waitFor();
    await sheet
      .getByRole("link", { name: /^1 run, / })
      .first()
      .click();
    await page.waitForURL("**/runs?target=triage&since=24h");
    await page
      .getByRole("status", { name: "Usage of these runs" })
      .filter({ hasText: /^1 run, / })
      .waitFor();
    expect(errors).toEqual([]);
  });

  it("works by keyboard alone: walk, open, close, zoom, fit", async ({ service }) => {
    const { page } = await visit(service.url);
    await page.goto(service.url);
    await page.getByRole("link", { name: /^Endpoint \/triggers\/signup/ }).focus();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-node]")?.getAttribute("data-node") ?? null);
    for (const [key, id] of [
      ["ArrowRight", "trigger:new-signup"],
      ["ArrowRight", "workflow:welcome-email"],
      ["ArrowLeft", "trigger:new-signup"],
      ["ArrowUp", "trigger:new-issue"],
      ["ArrowUp", "trigger:ci-failed"],
    ] as const) {
      await page.keyboard.press(key);
      await until(async () => expect(await focused()).toBe(id));
    }
    const before = await viewOf(page);
    await page.keyboard.press("+");
    await until(async () => expect(await viewOf(page)).not.toBe(before));
    await page.keyboard.press("f");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "trigger ci-failed" }).waitFor();
    await page.keyboard.press("Escape");
    await until(async () => expect(await focused()).toBe("trigger:ci-failed"));
  });

  it("keeps the viewport, the selection and dragged nodes after a reload and a saved file, until the layout is reset", async ({
    edited: service,
  }) => {
    // Without a delivery the canvas says what to send first, over its lowest nodes.
    await postJson(`${service.url}/triggers/signup`, person);
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await page.getByRole("link", { name: /^Trigger new-signup/ }).click();
    await page.getByRole("complementary", { name: "trigger new-signup" }).waitFor();
    const first = await placeOf(page, "trigger:ci-failed");
    await dragNode(page, "trigger:ci-failed", { x: -30, y: 40 });
    const dragged = await placeOf(page, "trigger:ci-failed");
    expect(dragged).not.toBe(first);
    const pane = await page.locator(".react-flow__pane").boundingBox();
    await dragBy(page, { x: (pane?.x ?? 0) + 300, y: (pane?.y ?? 0) + (pane?.height ?? 0) - 20 }, { x: 20, y: -60 });
    const state = async () => [
      await viewOf(page),
      await placeOf(page, "trigger:ci-failed"),
      await placeOf(page, "trigger:new-signup"),
      new URL(page.url()).searchParams.get("node"),
    ];
    const kept = await state();
    // React Flow reports the end of a move 150 ms later; only then it is stored.
    const x = /translate\((-?\d+)/.exec(await viewOf(page))?.[1];
    await until(async () => expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain(`x\\":${x}`));
    await page.reload();
    await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor();
    await until(async () => expect(await state()).toEqual(kept));
    addSignupTrigger(service, "second-signup", "signup");
    await nodeOf(page, "trigger:second-signup").waitFor({ state: "attached" });
    expect(await state()).toEqual(kept);
    await page.getByRole("button", { name: "Tidy" }).click();
    await until(async () => expect(await placeOf(page, "trigger:ci-failed")).not.toBe(dragged));
    expect(errors).toEqual([]);
  });

  it("folds an endpoint, and a link to one of its triggers opens it and flies there", async ({ service }) => {
    const { page } = await visit(service.url, { viewport: { width: 900, height: 500 } });
    await page.goto(service.url);
    await page.getByRole("button", { name: "3 triggers" }).click();
    await nodeOf(page, "trigger:invoice-paid").waitFor({ state: "detached" });
    await page.goto(`${service.url}/?node=trigger:invoice-paid`);
    await page.getByRole("link", { name: /^Trigger invoice-paid/ }).waitFor();
    await until(async () => {
      const box = await nodeOf(page, "trigger:invoice-paid").boundingBox();
      const pane = await page.locator(".react-flow__pane").boundingBox();
      if (!box || !pane) throw new Error("out of sight");
      expect(box.x).toBeGreaterThanOrEqual(pane.x);
      expect(box.x + box.width).toBeLessThanOrEqual(pane.x + pane.width);
      expect(box.y + box.height).toBeLessThanOrEqual(pane.y + pane.height);
    });
  });

  it("keeps filters in the URL, and shows only matching nodes, in the window", async ({ service }) => {
    const { page } = await visit(service.url, { viewport: { width: 1_440, height: 900 } });
    await page.goto(service.url);
    await nodeOf(page, "trigger:ci-failed").waitFor();
    await lookAwayByHand(page);
    await page.getByRole("textbox", { name: "Filter the canvas" }).fill("invoice-paid");
    await page.getByText("1 of 6 triggers").waitFor();
    await page.waitForURL((url) => url.searchParams.get("q") === "invoice-paid");
    const matches = ["endpoint:billing", "trigger:invoice-paid", "workflow:post-to-ledger"];
    await until(async () => expect((await nodesInView(page, { whole: true })).toSorted()).toEqual(matches));
    expect(await page.locator(".react-flow__node").count()).toBe(matches.length);
    await page.getByRole("combobox", { name: "Time window" }).selectOption("24h");
    await page.getByRole("combobox", { name: "Endpoint" }).selectOption("billing");
    await page.waitForURL((url) => url.searchParams.get("endpoint") === "billing");
    await page.reload();
    await page.getByText("1 of 6 triggers").waitFor();
    expect(await page.getByRole("combobox", { name: "Time window" }).inputValue()).toBe("24h");
    await page.getByRole("textbox", { name: "Filter the canvas" }).fill("welcome");
    await page.getByText("Nothing matches the filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await nodeOf(page, "trigger:ci-failed").waitFor();
    await expect.poll(() => nodesInView(page)).toContain("trigger:ci-failed");
  });

  it("moves with the wheel, zooms with Ctrl and the wheel, and comes back when all nodes are out of sight", async ({
    service,
  }) => {
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await nodeOf(page, "trigger:ci-failed").waitFor();
    const scale = async () => /scale\([\d.]+\)/.exec(await viewOf(page))?.[0];
    const before = { view: await viewOf(page), scale: await scale() };
    await page.mouse.move(640, 400);
    await page.mouse.wheel(0, 120);
    await until(async () => expect(await viewOf(page)).not.toBe(before.view));
    expect(await scale()).toBe(before.scale);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, 120);
    await page.keyboard.up("Control");
    await until(async () => expect(await scale()).not.toBe(before.scale));
    const back = page.getByRole("button", { name: "Bring into view" });
    expect(await back.count()).toBe(0);
    await lookAwayByHand(page);
    await back.click();
    await until(async () => expect(await nodesInView(page)).not.toEqual([]));
    await back.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
  });

  it("with more than 100 triggers starts folded, and shows the edges of the hovered, focused or opened node", async ({
    manyTriggers: service,
  }) => {
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await nodeOf(page, "endpoint:many").waitFor();
    expect(await page.locator("[data-node^='trigger:']").count()).toBe(0);
    expect(await page.locator("[data-edge]").count()).toBe(0);
    await nodeOf(page, "endpoint:many").hover();
    await expect.poll(() => page.locator("[data-edge]").count()).toBe(1);
    await page.getByRole("link", { name: /^Endpoint \/triggers\/more\/1/ }).focus();
    await page.locator('[data-edge="endpoint:more/1>workflow:work"]').waitFor({ state: "attached" });
    expect(await page.locator("[data-edge]").count()).toBe(1);
    await page.getByRole("textbox", { name: "Filter the canvas" }).fill("t101");
    await nodeOf(page, "trigger:t101").waitFor();
    await expect.poll(() => page.locator("[data-edge]").count()).toBe(2);
    // The opened node keeps its edges while no node is hovered or focused.
    await page.goto(`${service.url}/?node=endpoint:more/2`);
    await page.locator('[data-edge="endpoint:more/2>workflow:work"]').waitFor({ state: "attached" });
    expect(await page.locator("[data-edge]").count()).toBe(1);
    expect(errors).toEqual([]);
  });

  it("shows nodes after all endpoints are collapsed or expanded and after Tidy, from wherever the reader was", async ({
    manyTriggers: service,
  }) => {
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await nodeOf(page, "endpoint:many").waitFor();
    for (const name of ["Expand", "Collapse", "Tidy"]) {
      await lookAwayByHand(page);
      await page.getByRole("button", { name, exact: true }).click();
      await until(async () => expect(await nodesInView(page)).not.toEqual([]));
    }
    expect(errors).toEqual([]);
  });

  it("copies the URL of an endpoint: plain in development, with a key that works when deployed", async ({
    service,
  }) => {
    // So high that the card about the first delivery covers no endpoint.
    const options = { viewport: { width: 1_280, height: 1_080 }, permissions: ["clipboard-read", "clipboard-write"] };
    const { page } = await visit(service.url, options);
    await page.goto(service.url);
    expect(await copySignupUrl(page)).toBe(`${service.url}/triggers/signup`);

    const projectDir = copyStarter();
    const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(cli("build").status).toBe(0);
    const deployed = await startService({ projectDir, command: "start" });
    const { page: locked, errors } = await visit(deployed.url, options);
    await locked.goto(deployed.url);
    await signInWithToken(
      locked,
      (JSON.parse(cli("keys", "create", "--api", "--scope", "admin", "--json").stdout) as { secret: string }).secret,
    );
    const url = await copySignupUrl(locked);
    expect(new URL(url).searchParams.get("token")).toMatch(/^sb/);
    expect((await postJson(url, person)).status).toBe(202);
    expect(errors).toEqual([]);
  });

  it("shows a trigger a moment after its file is saved, without a reload", async ({ edited: service }) => {
    const { page, errors } = await visit(service.url, { viewport: { width: 1_280, height: 1_080 } });
    await page.goto(service.url);
    const build = page.getByRole("status").filter({ hasText: /^live · v / });
    await build.waitFor();
    const before = await build.textContent();
    addSignupTrigger(service, "late-signup", "signup-again");
    await page.getByRole("link", { name: /^Trigger late-signup/ }).waitFor();
    await until(async () => expect(await build.textContent()).not.toBe(before));
    expect(errors).toEqual([]);
  });
});

describe.each(viewports)(
  "the viewport of the canvas at $width × $height",
  ({ slowNode: nodeOnSlowMachine, ...viewport }) => {
    it('shows all that is left when an endpoint is folded and "show all" is pressed at once', async ({
      manyTriggers: service,
    }) => {
      const { page, errors } = await visit(service.url, { viewport });
      await page.goto(`${service.url}/?endpoint=many&node=endpoint:many`);
      await page.getByRole("button", { name: "24 triggers" }).waitFor();
      await page.evaluate(() =>
        document.querySelector<HTMLElement>('[data-node="endpoint:many"] button[aria-expanded]')?.click(),
      );
      await page.getByRole("button", { name: "Show all (f)" }).click();
      await until(async () =>
        expect((await nodesInView(page, { whole: true })).toSorted()).toEqual(["endpoint:many", "workflow:work"]),
      );
      await expect.poll(() => shareOfPane(page)).toBeCloseTo(1, 1);
      expect(errors).toEqual([]);
    });

    it("shows readable names at first", async ({ service }) => {
      const { page } = await visit(service.url, { viewport });
      await page.goto(service.url);
      const name = nodeOf(page, "endpoint:billing").getByText("/triggers/billing");
      await name.waitFor();
      const px = await name.evaluate((element: HTMLElement) => {
        const scale = element.getBoundingClientRect().width / element.offsetWidth;
        return Number.parseFloat(getComputedStyle(element).fontSize) * scale;
      });
      expect(px).toBeGreaterThanOrEqual(viewport.width < 1_000 ? 8 : 10);
    });

    it("shows the endpoint of a link, regardless of this tab's last viewport", async ({ service }) => {
      const { page } = await visit(service.url, { viewport });
      await page.goto(service.url);
      await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor();
      await until(async () =>
        expect(await page.evaluate(() => Object.keys(sessionStorage).join())).toContain("canvas.viewport"),
      );
      await lookAway(page);
      await page.goto(`${service.url}/?endpoint=signup`);
      await until(async () =>
        expect((await nodesInView(page, { whole: true })).toSorted()).toEqual([
          "endpoint:signup",
          "trigger:new-signup",
          "workflow:welcome-email",
        ]),
      );
      await page.getByRole("combobox", { name: "Endpoint" }).selectOption("billing");
      await until(async () => expect(await nodesInView(page)).toContain("endpoint:billing"));
      await lookAway(page);
      await page.goto(service.url);
      await until(async () => expect(await nodesInView(page)).not.toEqual([]));
    });

    it("shows the node of a link in a tab with another stored viewport, also on a slow machine", async ({
      service,
    }) => {
      const { page } = await visit(service.url, { viewport });
      await page.goto(service.url);
      await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor();
      await until(async () =>
        expect(await page.evaluate(() => Object.keys(sessionStorage).join())).toContain("canvas.viewport"),
      );
      const followLinkTo = async (id: string) => {
        await lookAway(page);
        await page.goto(`${service.url}/?node=${id}`);
        await page.getByRole("complementary", { name: id.replace(":", " ") }).waitFor();
        await until(async () => expect(await nodesInView(page, { whole: true })).toContain(id));
      };
      for (const { slowNode } of viewports) await followLinkTo(slowNode);
      await onSlowMachine(page, 4, () => followLinkTo(nodeOnSlowMachine));
      // The same by the search, in the app, past a filter that would leave the node out.
      await page.getByRole("combobox", { name: "Endpoint" }).selectOption("billing");
      await page.waitForURL((url) => url.searchParams.get("endpoint") === "billing");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("ci-failed");
      await page
        .getByRole("option", { name: /^ci-failed/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("complementary", { name: "trigger ci-failed" }).waitFor();
      await until(async () => expect(await nodesInView(page, { whole: true })).toContain("trigger:ci-failed"));
    });

    it("returns to the open node when it is searched for after panning away", async ({ service }) => {
      const { page } = await visit(service.url, { viewport });
      await page.goto(`${service.url}/?node=trigger:ci-failed`);
      await page.getByRole("link", { name: /^Trigger ci-failed/ }).waitFor();
      const pane = await page.locator(".react-flow__pane").boundingBox();
      for (let times = 0; times < 3; times += 1)
        await dragBy(page, { x: (pane?.x ?? 0) + 20, y: (pane?.y ?? 0) + 400 }, { x: (pane?.width ?? 0) - 40, y: 0 });
      await until(async () => expect(await nodesInView(page)).not.toContain("trigger:ci-failed"));
      await page.keyboard.press("Control+k");
      await page.keyboard.type("ci-failed");
      await page
        .getByRole("option", { name: /^ci-failed/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await until(async () => expect(await nodesInView(page, { whole: true })).toContain("trigger:ci-failed"));
    });
  },
);

describe("on a narrow screen", () => {
  it("lists replace the canvas, with the same numbers and links", async ({ service }) => {
    await postJson(`${service.url}/triggers/signup`, person);
    const { page, errors } = await visit(service.url, { viewport: { width: 360, height: 740 } });
    await page.goto(service.url);
    const endpoint = page.getByRole("region", { name: "Endpoint /triggers/signup" });
    await endpoint.getByRole("link", { name: "1 passed" }).first().waitFor();
    expect(await page.locator(".react-flow").count()).toBe(0);
    await endpoint.getByRole("link", { name: "new-signup", exact: true }).click();
    await page.getByRole("complementary", { name: "trigger new-signup" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await endpoint.getByRole("link", { name: "welcome-email" }).waitFor();
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    expect(errors).toEqual([]);
  });
});

describe("a project without triggers", () => {
  it("shows how to write one", async () => {
    const service = await startService({ projectDir: writeProject({}), command: "dev" });
    const { page, errors } = await visit(service.url);
    await page.goto(service.url);
    await page.getByRole("heading", { name: "No triggers yet" }).waitFor();
    expect(await page.locator("pre").textContent()).toContain("defineWebhookSource");
    expect(errors).toEqual([]);
  });
});
