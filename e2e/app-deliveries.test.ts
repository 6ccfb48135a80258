import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright";
import { describe, expect } from "vitest";
import type { Delivery } from "../server/contract/delivery.ts";
import { openSqliteStore } from "../server/store/sqlite/open-store.ts";
import { aDelivery } from "../server/store/testing/factories.ts";
import { getJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter, writeFiles } from "./support/project.ts";
import { type Service, startService, withSharedService } from "./support/service.ts";

const trigger = (slug: string, request: string) => `
  import { defineWebhookSource } from "signalbox/trigger";
  import { z } from "zod";
  import keep from "../workflows/keep";
  export default defineWebhookSource({ slug: "${slug}", endpoint: "orders", request: ${request} }).attach({ workflow: keep });`;

/** The example project, and an endpoint whose two triggers accept different bodies. */
const sharedEndpoint = {
  "workflows/keep.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });`,
  "triggers/paid.ts": trigger("paid", `z.object({ state: z.literal("paid") })`),
  "triggers/sent.ts": trigger("sent", `z.object({ state: z.literal("sent") })`),
};

const it = withSharedService((onCleanup) => {
  const projectDir = copyStarter(onCleanup);
  writeFiles(projectDir, sharedEndpoint);
  return { projectDir, command: "dev" };
});

const patient = { timeout: 180_000 };

const small =
  '{"id":"evt_1","type":"invoice.paid","invoice":{"number":"7","customer":"Difference & Co","amount":4200.0,"currency":"EUR"},"big":12345678901234567890}';
const large = small.replace("4200.0", "2000000").replace('"evt_1"', '"evt_2"');

async function send(url: string, endpoint: string, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const response = await fetch(`${url}/triggers/${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return response.headers.get("signalbox-delivery") ?? "";
}

const getDelivery = (service: Service, id: string) => getJson<Delivery>(`${service.url}/api/v1/deliveries/${id}`);

const classOf = (part: Locator) => part.getAttribute("class");
const bodyTree = (page: Page) => page.getByRole("tree", { name: "Body", exact: true });

/** Deliveries of a kilobyte, ten milliseconds apart, as if they had been received. */
async function recordDeliveries(projectDir: string, count: number): Promise<void> {
  const store = await openSqliteStore({ file: join(projectDir, ".signalbox/signalbox.db") });
  const body = Buffer.from(JSON.stringify({ name: "x".repeat(1_000) }));
  const now = Date.now();
  for (let from = 0; from < count; from += 5_000) {
    const times = Array.from({ length: Math.min(5_000, count - from) }, (_, n) => now - 10 * (from + n));
    await Promise.all(times.map((receivedAt) => store.recordDelivery(aDelivery({ receivedAt, body }))));
  }
  await store.close();
}

describe("one delivery", () => {
  it("shows why a trigger did not match, marks the path in the body, and leaves the body unchanged", async ({
    service,
  }) => {
    const { url } = service;
    const id = await send(url, "billing", small);
    const { page, errors, foreignRequests } = await visit(url);
    await page.goto(`${url}/deliveries/${id}`);
    const row = page.getByRole("table", { name: "Trigger verdicts" }).getByRole("row", { name: /large-invoice/ });
    await row.getByText("≥ 1000000").waitFor();
    const values = await page.locator("dl dd").allTextContents();
    expect(values.filter((value) => value === "")).toEqual([]);
    expect(await row.textContent()).toContain("4200");
    await row.getByRole("button", { name: "/invoice/amount" }).click();
    await bodyTree(page).locator("mark", { hasText: "4200.0" }).waitFor();
    await expect.poll(() => bodyTree(page).evaluate((tree) => tree === document.activeElement), patient).toBe(true);
    await bodyTree(page).getByText("large-invoice: expected ≥ 1000000").waitFor();
    expect(await bodyTree(page).textContent()).toContain('"big": 12345678901234567890');
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await bodyTree(page).getByText("4 keys").waitFor();
    await page.getByRole("link", { name: /^run_/ }).first().click();
    await page.waitForURL("**/runs/run_*");
    expect([...errors, ...foreignRequests]).toEqual([]);
  });

  it("shows a value that only some triggers reject in grey, and one that all reject in red", async ({ service }) => {
    const { url } = service;
    const { page, errors } = await visit(url);
    const verdicts = page.getByRole("table", { name: "Trigger verdicts" });
    for (const [state, tone] of [
      ["paid", "idle"],
      ["lost", "bad"],
    ] as const) {
      await page.goto(`${url}/deliveries/${await send(url, "orders", JSON.stringify({ state }))}`);
      expect(await classOf(verdicts.getByText("request mismatch").first())).toMatch(`text-${tone} `);
      expect(await classOf(bodyTree(page).locator("mark", { hasText: `"${state}"` }))).toContain(`text-${tone} `);
    }
    expect(errors).toEqual([]);
  });

  it("leads to its neighbours by keyboard, in the list that the reader came from, unless single keys are off", async ({
    service,
  }) => {
    const { url } = service;
    const older = await send(url, "signup", '{"name":"Ada","email":"ada@example.com"}');
    await send(url, "billing", small);
    const newer = await send(url, "signup", '{"name":"Bob","email":"bob@example.com"}');
    const { page, errors } = await visit(url);
    await page.goto(`${url}/deliveries?endpoint=signup`);
    await page.locator(`a[data-row-link][href="/deliveries/${newer}"]`).click();
    await page.waitForURL(`**/deliveries/${newer}`);
    await page.keyboard.press("j");
    await page.waitForURL(`**/deliveries/${older}`);
    await page.getByRole("button", { name: "Newer delivery (k)" }).click();
    await page.waitForURL(`**/deliveries/${newer}`);
    await page.keyboard.press("?");
    await page.getByRole("checkbox", { name: /^Shortcuts with a single key/ }).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.getByRole("button", { name: "Older delivery" }).click();
    await page.waitForURL(`**/deliveries/${older}`);
    expect(errors).toEqual([]);
  });

  it("is redelivered, byte for byte, to all triggers or to one, and each delivery links to the other", async ({
    service,
  }) => {
    const { url } = service;
    const id = await send(url, "billing", small);
    const { page, errors } = await visit(url);
    for (const [item, verdicts] of [
      [/to all 3 triggers/, 3],
      [/Only to large-invoice/, 1],
    ] as const) {
      await page.goto(`${url}/deliveries/${id}`);
      await page.getByRole("button", { name: "Redeliver" }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await page.waitForURL(
        (address) => address.pathname.startsWith("/deliveries/dlv_") && !address.pathname.endsWith(id),
      );
      await page.locator(`a[href="/deliveries/${id}"]`).first().waitFor();
      const again = await getDelivery(service, new URL(page.url()).pathname.split("/").at(-1) ?? "");
      expect([again.redeliveryOf, again.body, again.verdicts.length]).toEqual([
        id,
        Buffer.from(small).toString("base64"),
        verdicts,
      ]);
      await page.goto(`${url}/deliveries/${id}`);
      await page.locator(`a[href="/deliveries/${again.id}"]`).first().waitFor();
    }
    expect(errors).toEqual([]);
  });

  it("that repeats an event links to the first one, and the list shows what was received and why it started nothing", async ({
    service,
  }) => {
    const { url } = service;
    const since = new Date().toISOString();
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${url}/triggers/billing`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      }).then((response) => response.headers.get("signalbox-delivery") ?? "");
    const first = await post(small, { "idempotency-key": "list-1" });
    const again = await post(small, { "idempotency-key": "list-1" });
    const draft = await post(small.replace("invoice.paid", "invoice.draft"), { "x-billing-event": "draft" });
    const { page, errors } = await visit(url, { viewport: { width: 768, height: 900 } });
    await page.goto(`${url}/deliveries?${new URLSearchParams({ since })}`);
    const table = page.getByRole("table", { name: "Deliveries" });
    const rowOf = (id: string) =>
      table.getByRole("row").filter({ has: page.locator(`a[data-row-link][href="/deliveries/${id}"]`) });
    await rowOf(draft).getByText("draft invoice.draft").waitFor();
    await rowOf(draft).getByText("/type: expected").waitFor();
    await rowOf(first).getByText("invoice.paid", { exact: true }).waitFor();
    await rowOf(again).locator(`a[href="/deliveries/${first}"]`).waitFor();
    await page.getByRole("list", { name: "Counts" }).getByRole("button", { name: "repeated" }).click();
    await page.waitForURL("**outcome=repeated*");
    await expect.poll(() => rowOf(draft).count(), patient).toBe(0);
    // The text of the cells is no obstacle for a click on the link of the row.
    await rowOf(again).locator("a[data-row-link]").click();
    await page.waitForURL(`**/deliveries/${again}`);
    expect(await page.title()).toBe("↻ billing · Signalbox");
    await page.getByRole("main").locator(`a[href="/deliveries/${first}"]`).first().click();
    await page.waitForURL(`**/deliveries/${first}`);
    await page.goto(`${url}/deliveries`);
    await page.getByRole("radio", { name: "15m" }).check();
    await page.waitForURL("**/deliveries?window=15m");
    await rowOf(draft).waitFor();
    expect(errors).toEqual([]);
  });

  it("that no trigger matched offers the code of one, as the server writes it, and copies it", async ({ service }) => {
    const { url } = service;
    const refunds = await Promise.all(
      ["a", "b", "c"].map((id) => send(url, "billing", JSON.stringify({ type: "refund.made", refund: { id } }))),
    );
    const { page, errors } = await visit(url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${url}/deliveries/${refunds[0]}`);
    await page.getByRole("button", { name: "Write a trigger" }).click();
    const code = page.getByRole("region", { name: "triggers/billing-refund-made.ts, as text" });
    await code.getByText('type: z.literal("refund.made"), // in 3 of 3').waitFor(patient);
    await page.getByRole("button", { name: "Copy triggers/billing-refund-made.ts" }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('slug: "billing-refund-made"');
    await page.getByRole("region", { name: "workflows/handle-billing-refund-made.ts, as text" }).waitFor();

    await page.goto(`${url}/deliveries/${await send(url, "billing", small)}`);
    await bodyTree(page).waitFor();
    expect(await page.getByRole("button", { name: "Write a trigger" }).count()).toBe(0);
    expect(errors).toEqual([]);

    await page.goto(`${url}/deliveries/${await send(url, "refunds", "{}")}`);
    await page.getByText("Unknown endpoint").first().waitFor(patient);
    expect(await page.getByRole("button", { name: "Write a trigger" }).count()).toBe(0);
  });

  it("that is a multipart form with a file of any bytes shows its fields, and downloads the file", async ({
    service,
  }) => {
    const { url } = service;
    const form = new FormData();
    form.set("note", "Größe");
    form.set("file", new Blob([Uint8Array.of(0, 255, 13, 10)], { type: "image/png" }), "a.png");
    const response = await fetch(`${url}/triggers/billing`, { method: "POST", body: form });
    expect(response.status).toBe(415);
    const { page, errors } = await visit(url);
    await page.goto(`${url}/deliveries/${response.headers.get("signalbox-delivery")}`);
    await bodyTree(page).getByText('"Größe"').waitFor();
    expect(await page.getByRole("group", { name: "View of the body" }).getByRole("radio").count()).toBe(2);
    const file = page.getByRole("list", { name: "Files" }).getByRole("listitem");
    expect(await file.textContent()).toBe("a.pngimage/png · 4 B");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      file.getByRole("button", { name: "Download file 1" }).click(),
    ]);
    expect([...readFileSync(await download.path())]).toEqual([0, 255, 13, 10]);
    await page.getByRole("radio", { name: "Bytes", exact: true }).check();
    await page.getByRole("region", { name: "Body as bytes" }).getByText("00 ff 0d 0a").waitFor();
    expect(errors).toEqual([]);
  });

  it("is copied as a command that sends the same bytes", async ({ service }) => {
    const { url } = service;
    const { page } = await visit(url, { permissions: ["clipboard-read", "clipboard-write"] });
    for (const body of [
      `{"note":"it's $(date) \`id\` !! \\\\ \u202e ü"}\n`,
      '{"note":"é"}',
      new Uint8Array([0xff, 0x00, 0x7b, 0x27]),
    ]) {
      const id = await send(url, "signup", body);
      await page.goto(`${url}/deliveries/${id}`);
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
      const command = await page.evaluate(() => navigator.clipboard.readText());
      const answer = execFileSync("sh", ["-c", command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
      const again = await getDelivery(service, /signalbox-delivery: (\S+)/i.exec(answer)?.[1] ?? "");
      expect(again.bodySha256).toBe(createHash("sha256").update(body).digest("hex"));
    }
  });

  it("is compared with another by the paths that differ", async ({ service }) => {
    const { url } = service;
    const other = await send(url, "billing", large);
    const id = await send(url, "billing", small);
    const { page, errors } = await visit(url);
    await page.goto(`${url}/deliveries/${id}`);
    await page.getByText(/^live ·/).waitFor();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("dialog").getByLabel("Delivery ID or page URL").fill(`${url}/deliveries/${other}`);
    await page.getByRole("dialog").getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(`**/deliveries/${id}?compare=${other}`);
    const row = page.getByRole("table", { name: "Bodies, compared" }).getByRole("row", { name: /\/invoice\/amount/ });
    await row.getByText("4200.0").waitFor();
    await row.getByText("2000000").waitFor();
    await page
      .getByRole("table", { name: "Verdicts, compared" })
      .getByRole("row", { name: /large-invoice/ })
      .waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Bodies, compared" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("shows hostile bodies as text and stays responsive", async ({ service }) => {
    const { url } = service;
    const { page, errors } = await visit(url);
    const rows = Array.from({ length: 7_500 }, (_, index) => ({
      index,
      html: "<svg onload=alert(1)>",
      bidi: "\u202eevil",
      pad: "x".repeat(60),
    }));
    const bodies = [
      '{"<b>k</b>":"<img src=x onerror=alert(1)>\u202e","__proto__":{"a":1},"a":"\u2028"}',
      "{'a': <script>alert(1)</script>}",
      JSON.stringify({ rows }),
      JSON.stringify({ one: "<i>".repeat(300_000) }),
      "[".repeat(500) + "]".repeat(500),
      "[".repeat(200_000),
    ];
    for (const body of bodies) {
      await page.goto(`${url}/deliveries/${await send(url, "billing", body)}`);
      const view = bodyTree(page).or(page.getByRole("region", { name: "Body, as text" }));
      await expect.poll(() => view.innerText(), patient).not.toBe("");
      expect(await page.locator("img[src=x], svg[onload], b:text-is('k'), main script").count()).toBe(0);
      // However long the text, little of it is drawn at once.
      expect(await view.locator("*").count()).toBeLessThan(3_000);
    }
    await page.goto(`${url}/deliveries/${await send(url, "billing", bodies[0] ?? "")}`);
    await bodyTree(page).getByText("U+202E").waitFor();
    expect(errors).toEqual([]);
  });
});

describe("the list of deliveries", () => {
  it("suggests the most similar endpoint, there and on the delivery's page, and links to it", async ({ service }) => {
    const { url } = service;
    const id = await send(url, "githb", "{}");
    const { page, errors } = await visit(url);
    await page.goto(`${url}/deliveries`);
    const row = page.getByRole("row", { name: /No endpoint githb/ });
    expect(await row.getByRole("link", { name: "github" }).getAttribute("href")).toBe("/?node=endpoint%3Agithub");
    await page.goto(`${url}/deliveries/${id}`);
    await page.getByText("There is no endpoint").waitFor();
    await page.getByRole("main").getByRole("link", { name: "github", exact: true }).click();
    await page.waitForURL("**/?node=endpoint*github");
    expect(errors).toEqual([]);
  });

  it("applies filters, shows them as removable chips, and keeps them after a reload", async () => {
    const { url } = await startService({ projectDir: copyStarter(), command: "dev" });
    const large1 = await send(url, "billing", large);
    await send(url, "billing", small);
    await send(url, "signup", '{"name":"Ada","email":"ada@example.com"}');
    const { page, errors } = await visit(url);
    await page.goto(`${url}/deliveries`);
    await page.getByLabel("Trigger", { exact: true }).selectOption("large-invoice");
    await page.getByLabel("Verdict of the trigger").selectOption("matched");
    await page.waitForURL(/trigger=large-invoice&verdict=matched/);
    await page.reload();
    const found = page.locator("a[data-row-link]");
    await expect
      .poll(() => found.evaluateAll((links) => links.map((link) => link.getAttribute("href"))), patient)
      .toEqual([`/deliveries/${large1}`]);
    await page.getByLabel("Text in the body").fill("no such text");
    await page.getByText("No deliveries match these filters").waitFor();
    await page.getByRole("button", { name: /^Remove the filter: contains/ }).click();
    await expect.poll(() => found.count(), patient).toBe(1);
    await page.getByRole("button", { name: "Clear all" }).click();
    await expect.poll(() => found.count(), patient).toBe(3);
    await page.goBack();
    await expect.poll(() => found.count(), patient).toBe(1);
    expect(errors).toEqual([]);
  });

  it("searches 50,000 deliveries for a text that none has, without a click, and stops when the reader stops it", async () => {
    const { url, projectDir } = await startService({ projectDir: copyStarter(), command: "dev" });
    await recordDeliveries(projectDir, 50_000);
    const { page, errors } = await visit(url);
    const cursors: string[] = [];
    const lists = "**/api/trpc/**deliveries.list**";
    await page.route(lists, (route) => {
      const cursor = /"cursor":"([^"]+)"/.exec(route.request().postData() ?? "")?.[1];
      if (cursor !== undefined) cursors.push(cursor);
      return route.continue();
    });
    await page.goto(`${url}/deliveries?text=nowhere`);
    await page.getByText("No deliveries match these filters").waitFor({ timeout: 120_000 });
    // Each request continues where the one before ended.
    expect(cursors.length).toBeGreaterThan(0);
    const times = cursors.map((cursor) => Number(JSON.parse(Buffer.from(cursor, "base64url").toString())[0]));
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => b - a));
    // A search that the reader stops waits for the reader.
    let held = 0;
    await page.unroute(lists);
    await page.route(lists, (route) =>
      /"cursor":"/.test(route.request().postData() ?? "") ? void held++ : route.continue(),
    );
    await page.goto(`${url}/deliveries?text=elsewhere`);
    await page.getByText(/^Searched back to/).waitFor();
    await page.getByRole("button", { name: "Stop search" }).click();
    await page.getByText("Search stopped. No matches so far.").waitFor();
    expect(held).toBe(1);
    await page.unroute(lists);
    await page.getByRole("button", { name: "Search older rows" }).click();
    await page.getByText("No deliveries match these filters").waitFor({ timeout: 120_000 });
    expect(errors).toEqual([]);
  });

  it("continues beyond 100 deliveries, and a time range is selected by mouse and by keyboard", async ({ service }) => {
    const { url } = service;
    const oldest = await send(url, "signup", '{"name":"Ada","email":"ada@example.com"}');
    await Promise.all(
      Array.from({ length: 129 }, (_, sent) => send(url, "signup", `{"name":"Ada ${sent}","email":"ada@example.com"}`)),
    );
    const { page, errors } = await visit(url, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/deliveries?endpoint=signup`);
    await page.locator("a[data-row-link]").first().waitFor();
    await page.mouse.move(700, 500);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return page.locator(`[data-index='129'] a[href="/deliveries/${oldest}"]`).count();
      }, patient)
      .toBe(1);
    await page.mouse.wheel(0, -100_000);
    const from = page.getByRole("slider", { name: "From" });
    await from.focus();
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press("ArrowRight");
    await page.waitForURL(/since=/);
    await page.getByRole("button", { name: /^Remove the filter: since/ }).waitFor();
    await from.press("Escape");
    await page.waitForURL((address) => !address.searchParams.has("since"));
    const plot = await page.getByRole("group", { name: /^Deliveries from/ }).boundingBox();
    if (!plot) throw new Error("The histogram is not in sight");
    await page.mouse.move(plot.x + plot.width * 0.2, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.5, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    await page.getByText("No deliveries match these filters").waitFor();
    expect(errors).toEqual([]);
  });
});
