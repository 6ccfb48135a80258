import { describe, expect, vi } from "vitest";
import { type DriftReport, driftReportSchema } from "../server/contract/drift.ts";
import { getJson, postJson } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { expectSoundPage } from "./support/sound-page.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, withSharedService } from "./support/service.ts";

let projectDir = "";
const drift = (...args: string[]) =>
  signalbox(["triggers", "drift", ...args, "--project", projectDir], { cwd: projectDir });

const it = withSharedService((onCleanup) => {
  projectDir = writeProject(
    {
      "workflows/triage.ts": `import { defineWorkflow } from "signalbox/workflow"; import { z } from "zod"; export default defineWorkflow({ slug: "triage", input: z.unknown(), run() {} });`,
      "triggers/new-issue.ts": `import { defineWebhookSource } from "signalbox/trigger"; import { z } from "zod"; import triage from "../workflows/triage";
        export default defineWebhookSource({ slug: "new-issue", endpoint: "issues", request: z.object({ issue: z.object({ number: z.int(), type: z.string() }) }) }).attach({ workflow: triage });`,
    },
    onCleanup,
  );
  return { projectDir, command: "dev" };
});

const issue = (fields: object) => ({ action: "opened", issue: { number: 7, type: "bug", state: "open", ...fields } });

describe("what senders change", () => {
  it("is named by the command line, the API and the sheet of the endpoint", async ({ service }) => {
    const send = async (count: number, body: object): Promise<void> => {
      for (let sent = 0; sent < count; sent++) await postJson(`${service.url}/triggers/issues`, body);
    };
    await send(60, issue({}));
    expect((await getJson<DriftReport>(`${service.url}/api/v1/drift`)).data).toEqual([]);
    const changedAt = new Date().toISOString();
    await send(30, issue({ type: 3, state: "gone", labels: [] }));

    const report = driftReportSchema.parse(await getJson(`${service.url}/api/v1/drift?endpoint=issues`));
    const texts = [
      "100 % stopped matching new-issue, all at /issue/type: number, expected a string",
      "/issue/type: number, before string, in all of 30 deliveries",
      "/issue/labels is new (array), in all of 30 deliveries",
      '/issue/state has the new value "gone", in all of 30 deliveries',
    ];
    expect(report.data.map(({ text }) => text)).toEqual(texts);
    for (const { since, kind } of report.data) {
      expect(since >= changedAt).toBe(true);
      expect(kind).toBe("opened");
    }

    // The command reads for at most four seconds.
    await vi.waitFor(
      () => expect(driftReportSchema.parse(JSON.parse(drift("issues", "--json").stdout)).data).toEqual(report.data),
      { timeout: 120_000 },
    );
    const printed = drift();
    expect([printed.status, printed.stderr]).toEqual([
      0,
      expect.stringContaining("4 changes in 90 compared deliveries."),
    ]);
    for (const text of texts) expect(printed.stdout).toContain(text);

    const { page, errors } = await visit(service.url);
    await page.goto(`${service.url}/?node=endpoint:issues`);
    const sheet = page.getByRole("complementary", { name: "endpoint issues", exact: true });
    await sheet.getByRole("heading", { name: "Payload changes" }).waitFor();
    for (const text of texts) await sheet.getByText(text, { exact: true }).waitFor();
    await expectSoundPage(page, "payload changes");
    expect(errors).toEqual([]);
  });
});
