import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Backtest } from "../server/contract/backtest.ts";
import type { Delivery } from "../server/contract/delivery.ts";
import type { OnCleanup } from "../scripts/cleanups.ts";
import { getJson, postJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { copyStarter } from "./support/project.ts";
import { signInWithToken } from "./support/sign-in.ts";
import { type Service, signalbox, startService, withSharedService } from "./support/service.ts";

/** Commands block this process for longer than a connection is kept. */
const once = { connection: "close" };

type Project = Pick<Service, "projectDir">;

const cli = ({ projectDir }: Project, ...args: string[]) =>
  signalbox([...args, "--project", projectDir], { cwd: projectDir });

/** The project as it is deployed. */
function deployedProject(onCleanup: OnCleanup): string {
  const projectDir = copyStarter(onCleanup);
  const built = cli({ projectDir }, "build");
  expect(built.status, built.stderr).toBe(0);
  return projectDir;
}

const it = withSharedService((onCleanup) => ({ projectDir: deployedProject(onCleanup), command: "start" }));

const amounts = [500_000, 1_500_000, 2_500_000];
const largeInvoice = "triggers/billing/large-invoice.ts";

/** Sends an invoice of each amount, once for the file. Returns the ids of the deliveries. */
let sent: Promise<string[]> | null = null;
function sendInvoices(service: Project): Promise<string[]> {
  sent ??= (async () => {
    const url = cli(service, "triggers", "url", "billing").stdout.trim();
    const ids: string[] = [];
    for (const amount of amounts) {
      const invoice = { number: `2026-${amount}`, customer: "Analytical Engines Ltd", amount, currency: "EUR" };
      const response = await postJson(url, { id: `evt_${amount}`, type: "invoice.paid", invoice }, once);
      expect(response.status).toBe(202);
      ids.push(response.headers.get("signalbox-delivery") ?? "");
    }
    return ids;
  })();
  return sent;
}

/** Changes files of the working tree while `use` runs. */
async function withEdits<T>(
  { projectDir }: Project,
  edits: Record<string, (text: string) => string>,
  use: () => T | Promise<T>,
): Promise<T> {
  const before = Object.keys(edits).map(
    (path) => [join(projectDir, path), readFileSync(join(projectDir, path), "utf8")] as const,
  );
  for (const [path, edit] of Object.entries(edits))
    writeFileSync(join(projectDir, path), edit(readFileSync(join(projectDir, path), "utf8")));
  try {
    return await use();
  } finally {
    for (const [path, text] of before) writeFileSync(path, text);
  }
}

const withMinimum = (amount: string) => ({ [largeInvoice]: (text: string) => text.replace("1_000_000", amount) });

const compareAll = (service: Project, ...args: string[]) => cli(service, "triggers", "test", "--since", "1d", ...args);
const documentOf = (result: { stdout: string; stderr: string }) => {
  if (result.stdout === "") throw new Error(result.stderr);
  return JSON.parse(result.stdout) as Backtest;
};

describe("signalbox triggers test --since", () => {
  it("reports no difference for the deployed build, and exits with 0", async ({ service }) => {
    await sendInvoices(service);
    const { status, stdout, stderr } = compareAll(service, "--fail-on-change");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^✓ Build [0-9a-f]{12} fires the same triggers for 3 deliveries since /);
  });

  it("prints one document for CI, with exactly the firings that a changed filter adds and removes", async ({
    service,
  }) => {
    const ids = await sendInvoices(service);
    const { status, stdout, stderr } = await withEdits(service, withMinimum("2_000_000"), () =>
      compareAll(service, "--json", "--fail-on-change"),
    );
    expect([status, stderr]).toEqual([1, ""]);
    const firstRun = (await deliveryOf(service, ids[1])).verdicts.find(
      ({ trigger }) => trigger === "large-invoice",
    )?.runId;
    expect(JSON.parse(stdout)).toEqual({
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      since: expect.stringMatching(/Z$/),
      until: expect.stringMatching(/Z$/),
      endpoint: null,
      trigger: null,
      compared: 3,
      notCompared: [],
      isComplete: true,
      gained: 0,
      lost: 1,
      failed: 0,
      triggers: [
        {
          trigger: "large-invoice",
          attachmentId: "large-invoice:notify-finance",
          target: { kind: "workflow", slug: "notify-finance" },
          gained: 0,
          lost: 1,
          failed: 0,
          changes: [
            {
              change: "lost",
              deliveryId: ids[1],
              endpoint: "billing",
              receivedAt: expect.stringMatching(/Z$/),
              outcome: "filter_mismatch",
              reasons: [
                {
                  pointer: "/invoice/amount",
                  code: "too_small",
                  message: "Too small: expected number to be >=2000000",
                  expected: "≥ 2000000",
                  actual: "1500000",
                },
              ],
              runId: firstRun,
              url: `${service.url}/deliveries/${ids[1]}`,
            },
          ],
          failures: [],
        },
      ],
    });
  });

  it("shows a person the path, the expected and the actual value, and a link for each", async ({ service }) => {
    const ids = await sendInvoices(service);
    const { status, stdout } = await withEdits(service, withMinimum("400_000"), () =>
      compareAll(service, "--endpoint", "billing"),
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/^△ Build [0-9a-f]{12} changes the firings of 3 deliveries since .*: \+1 −0\.\n/);
    expect(stdout).toContain("large-invoice → workflow notify-finance  +1 −0\n");
    expect(stdout).toContain(`${service.url}/deliveries/${ids[0]}`);
    expect(stdout).toContain("then filter mismatch, /invoice/amount: expected ≥ 1000000, got 500000\n");
    expect(stdout).not.toContain(ids[1]);
  });

  it("leaves the running service and its build as they are", async ({ service }) => {
    await sendInvoices(service);
    const file = join(service.projectDir, ".signalbox/manifest.json");
    const before = readFileSync(file, "utf8");
    const lists = () => cli(service, "runs", "list", "--json").stdout;
    const runs = lists();
    await withEdits(service, withMinimum("2_000_000"), () => compareAll(service, "--input"));
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(lists()).toBe(runs);
    expect((await fetch(`${service.url}/readyz`, { headers: once })).status).toBe(200);
  });

  it("calls the transform and checks the input on request, calls no workflow, and keeps printed text out of the document", async ({
    service,
  }) => {
    const [id] = await sendInvoices(service);
    const edits = {
      "triggers/billing/invoice-paid.ts": (text: string) =>
        text.replace(
          "transform: ({ invoice }) => (",
          `transform: ({ invoice }) => (console.log("printed by the project"), invoice.amount === 500_000) ? JSON.parse("{") : (`,
        ),
      "workflows/notify-finance.ts": (text: string) =>
        text.replace(`["info", "warning", "alarm"]`, `["warning", "alarm"]`),
    };
    await withEdits(service, edits, () => {
      const transforms = compareAll(service, "--json", "--transform", "--fail-on-change");
      expect(transforms.stderr).toContain("printed by the project");
      expect(documentOf(transforms)).toMatchObject({
        gained: 0,
        lost: 0,
        failed: 1,
        triggers: [
          {
            trigger: "invoice-paid",
            failures: [
              { deliveryId: id, name: "TransformFailed", message: expect.stringContaining("SyntaxError"), errors: [] },
            ],
          },
        ],
      });
      expect(transforms.status).toBe(1);
      const inputs = documentOf(compareAll(service, "large-invoice", "--json", "--input"));
      expect(inputs).toMatchObject({ trigger: "large-invoice", gained: 0, lost: 0, failed: 2 });
      expect(inputs.triggers[0]?.failures[0]).toMatchObject({
        name: "InvalidInput",
        errors: [{ pointer: "/urgency", code: "invalid_value" }],
      });
    });
  });

  it("compares a working tree with a deployment, by a token that only reads", async ({ service }) => {
    const ids = await sendInvoices(service);
    const { secret } = JSON.parse(cli(service, "keys", "create", "--api", "--scope", "read", "--json").stdout) as {
      secret: string;
    };
    const checkout = copyStarter();
    const file = join(checkout, largeInvoice);
    writeFileSync(file, readFileSync(file, "utf8").replace("1_000_000", "2_000_000"));
    const remote = (token: string) =>
      signalbox(["triggers", "test", "--since", "7d", "--json", "--fail-on-change"], {
        cwd: checkout,
        env: { SIGNALBOX_URL: service.url, SIGNALBOX_TOKEN: token },
      });
    const compared = remote(secret);
    expect(compared.status, compared.stderr).toBe(1);
    expect(documentOf(compared)).toMatchObject({
      compared: 3,
      lost: 1,
      triggers: [{ changes: [{ deliveryId: ids[1], url: `${service.url}/deliveries/${ids[1]}` }] }],
    });
    expect(JSON.parse(remote("sbt_wrong").stdout)).toMatchObject({ error: { code: "unauthorized" } });
  });

  it("compares a build that the machine keeps, as before a rollback", async ({ service }) => {
    const ids = await sendInvoices(service);
    const first = documentOf(compareAll(service, "--json")).version;
    await withEdits(service, withMinimum("2_000_000"), () => expect(cli(service, "build").status).toBe(0));
    const { version } = documentOf(cli(service, "build", "--json")) as { version: string };
    expect(version).toBe(first);
    const { data } = JSON.parse(cli(service, "builds", "list", "--json").stdout) as { data: { id: string }[] };
    const other = data.find(({ id }) => id !== first)?.id ?? "";
    const compared = documentOf(compareAll(service, "--json", "--build", other));
    expect(compared).toMatchObject({ version: other, lost: 1, triggers: [{ changes: [{ deliveryId: ids[1] }] }] });
    expect(documentOf(compareAll(service, "--json", "--build", first))).toMatchObject({ gained: 0, lost: 0 });
    expect(compareAll(service, "--build", "nothing").stderr).toContain('This machine has no build "nothing".');
  });

  it("shows a person the same before a rollback, which the page then does", async ({ service }) => {
    const ids = await sendInvoices(service);
    const first = documentOf(compareAll(service, "--json")).version;
    await withEdits(service, withMinimum("2_000_000"), () => expect(cli(service, "build").status).toBe(0));
    expect(cli(service, "builds", "rollback", first).status).toBe(0);
    const { secret } = JSON.parse(cli(service, "keys", "create", "--api", "--scope", "admin", "--json").stdout) as {
      secret: string;
    };
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/settings/builds`);
    await signInWithToken(page, secret);
    const table = page.getByRole("table", { name: "Builds" });
    await table.getByRole("button", { name: "Make current" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Compare", exact: true }).click();
    const changed = dialog.getByRole("region", { name: "Differences of large-invoice → notify-finance" });
    await changed.getByText("now filter mismatch, /invoice/amount: expected ≥ 2000000, was 1500000").waitFor();
    expect(await changed.getByRole("listitem").getByRole("link").getAttribute("href")).toBe(`/deliveries/${ids[1]}`);
    await expectSoundPage(page, "a build before it becomes current");
    await dialog.getByRole("button", { name: "Make current" }).click();
    await page.getByText(/^Build [0-9a-f]{12} is current\. The service loads it now\.$/).waitFor();
    await table.getByRole("row", { name: new RegExp(`${first}.*kept`) }).waitFor();
    expect(cli(service, "builds", "rollback", first).status).toBe(0);
    expect(errors).toEqual([]);
  });

  it("fails with the errors of the project if it cannot be built, and names an unknown trigger", async ({
    service,
  }) => {
    await withEdits(service, { [largeInvoice]: () => "export default 1;" }, () => {
      const { status, stdout } = compareAll(service, "--json");
      expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "build_failed" } }]);
    });
    const unknown = compareAll(service, "large-invoce");
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('Did you mean "large-invoice"?')]);
  });

  it("names the cause if the project's code ends the comparison", async ({ service }) => {
    await sendInvoices(service);
    const exits = {
      "triggers/billing/invoice-paid.ts": (text: string) =>
        text.replace("transform: ({ invoice }) => (", "transform: ({ invoice }) => process.exit(3) ?? ("),
    };
    const { status, stdout } = await withEdits(service, exits, () => compareAll(service, "--json", "--transform"));
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "comparison_stopped" } }]);
  });
});

describe("the backtest of a sheet", () => {
  it("shows after a build which triggers would fire differently, each with its delivery", async () => {
    const folder = copyStarter();
    const service = await startService({ projectDir: folder, command: "dev" });
    const send = (amount: number) =>
      postJson(`${service.url}/triggers/billing`, {
        id: `evt_${amount}`,
        type: "invoice.paid",
        invoice: { number: "1", customer: "Ada", amount, currency: "EUR" },
      });
    for (const amount of amounts) expect((await send(amount)).status).toBe(202);
    const { page, errors } = await visit(service.url, { reducedMotion: "reduce" });
    await page.goto(`${service.url}/?node=endpoint:billing&tab=backtest`);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText(/^Build [0-9a-f]{12} fires the same triggers for 3 deliveries\.$/).waitFor();

    const file = join(folder, largeInvoice);
    writeFileSync(file, readFileSync(file, "utf8").replace("1_000_000", "2_000_000"));
    await page.getByText("The build has changed in the meantime. Compare again.").waitFor();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const changed = page.getByRole("region", { name: "Differences of large-invoice → notify-finance" });
    await changed.getByText("now filter mismatch, /invoice/amount: expected ≥ 2000000, was 1500000").waitFor();
    expect(await changed.getByRole("listitem").count()).toBe(1);
    expect(await changed.getByText("no longer fires").count()).toBe(1);

    await page.goto(`${service.url}/?node=trigger:large-invoice&tab=backtest`);
    await page.getByText("30 days", { exact: true }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await changed.getByRole("listitem").getByRole("link").click();
    await page.waitForURL("**/deliveries/dlv_*");
    expect(errors).toEqual([]);
  });
});

async function deliveryOf(service: Service, id: string | undefined): Promise<Delivery> {
  const { secret } = JSON.parse(cli(service, "keys", "create", "--api", "--scope", "read", "--json").stdout) as {
    secret: string;
  };
  return getJson<Delivery>(`${service.url}/api/v1/deliveries/${id}`, { authorization: `Bearer ${secret}`, ...once });
}
