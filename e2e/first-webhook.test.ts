import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { pagesWithBlocks, readBlocks, testOf } from "../scripts/doc-blocks.ts";
import type { Delivery } from "../server/contract/delivery.ts";
import type { Run } from "../server/contract/run.ts";
import type { InferredTriggerAnswer } from "../server/triggers/infer-trigger.ts";
import { getJson, postJson, timelineOf, waitForRun } from "./support/api.ts";
import { copyStarter, repository } from "./support/project.ts";
import { createReaderShell } from "./support/reader-shell.ts";
import { signalbox, withSharedService } from "./support/service.ts";

/** The project of the service. */
let projectDir = "";
const cli = (...args: string[]) => signalbox([...args, "--project", projectDir, "--json"], { cwd: projectDir });

const it = withSharedService((onCleanup) => {
  projectDir = copyStarter(onCleanup);
  return { projectDir, command: "dev" };
});

interface Accepted {
  ok: true;
  runId: string;
  runs: { runId: string; trigger: string; target: { kind: string; slug: string } }[];
}

describe("the first webhook", () => {
  it("is the README's curl: 202 at once, and its run completes with the workflow's output", async ({ service }) => {
    const { path, headers, body } = readmeCurl();
    const response = await fetch(service.url + path, { method: "POST", headers, body });
    expect(response.status).toBe(202);
    const accepted = (await response.json()) as Accepted;
    expect(response.headers.get("location")).toBe(`/api/v1/runs/${accepted.runId}`);
    expect(accepted.runs).toEqual([
      { runId: accepted.runId, trigger: "new-signup", target: { kind: "workflow", slug: "welcome-email" } },
    ]);

    const run = await waitForRun(service, accepted.runId);
    expect(run).toMatchObject({
      status: "completed",
      startedBy: "webhook",
      attachmentId: "new-signup:welcome-email",
      payload: { name: "Ada", email: "ada@example.com" },
      input: { to: "ada@example.com", displayName: "Ada" },
    });
    expect(run.output).toMatchObject({ messageId: expect.any(String) });
    const kinds = (await timelineOf(service, run.id)).map((entry) => entry.kind);
    expect(kinds[0]).toBe("queued");
    expect(kinds).toContain("step_completed");
    expect(kinds.at(-1)).toBe("completed");
  });

  it("that does not match is answered with the error and its path, and kept byte for byte", async ({ service }) => {
    const body = `{ "name": "  ",\t"email": "ada@example.com" }`;
    const response = await fetch(`${service.url}/triggers/signup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({
      status: 422,
      code: "request_mismatch",
      errors: [{ pointer: "/name" }],
    });
    const delivery = await getJson<Delivery>(
      `${service.url}/api/v1/deliveries/${response.headers.get("signalbox-delivery")}`,
    );
    expect(Buffer.from(delivery.body ?? "", "base64").toString()).toBe(body);
    expect(delivery).toMatchObject({
      outcome: "rejected",
      verdicts: [{ outcome: "request_mismatch", reasons: [{ pointer: "/name" }] }],
    });
  });

  it("starts those of three triggers on a shared endpoint whose filters match, and explains the others", async ({
    service,
  }) => {
    const paid = JSON.parse(readFileSync(join(projectDir, "requests/invoice-paid.json"), "utf8")) as unknown;
    const response = await postJson(`${service.url}/triggers/billing`, paid);
    expect(response.status).toBe(202);
    const { runs } = (await response.json()) as Accepted;
    expect(runs.map((run) => run.trigger)).toContain("invoice-paid");
    const delivery = await getJson<Delivery>(
      `${service.url}/api/v1/deliveries/${response.headers.get("signalbox-delivery")}`,
    );
    expect(delivery.verdicts).toHaveLength(3);
    const stopped = delivery.verdicts.filter((verdict) => verdict.outcome !== "matched");
    expect(stopped.length).toBe(3 - runs.length);
    for (const verdict of stopped)
      expect(verdict.reasons[0]).toMatchObject({ pointer: expect.stringMatching(/^\//), expected: expect.any(String) });
    for (const { runId } of runs) expect((await waitForRun(service, runId)).status).toBe("completed");
  });

  it("can be tested, sent and inspected from the command line", async ({ service }) => {
    const runs = () =>
      getJson<{ data: { id: string }[] }>(`${service.url}/api/v1/runs?limit=100`).then(({ data }) =>
        data.map(({ id }) => id),
      );
    const before = await runs();
    const tested = cli("triggers", "test", "billing", "--data", "@requests/invoice-paid.json");
    expect(tested.status).toBe(0);
    expect(tested.stdout).toContain(`"matched"`);
    expect(await runs()).toEqual(before);

    const sent = cli("triggers", "send", "new-signup", "--data", "@requests/signup.json");
    expect(sent.status, sent.stderr + sent.stdout).toBe(0);
    const runId = /run_[0-9A-Z]{26}/.exec(sent.stdout)?.[0] ?? "";
    const got = cli("runs", "get", runId, "--wait");
    expect(JSON.parse(got.stdout)).toMatchObject({ id: runId, status: "completed" });

    const replayed = cli("runs", "replay", runId);
    const replayId = /run_[0-9A-Z]{26}/.exec(replayed.stdout.replaceAll(runId, ""))?.[0] ?? "";
    expect(await waitForRun(service, replayId)).toMatchObject({
      status: "completed",
      replayOf: runId,
      startedBy: "replay",
    });

    const { deliveryId } = JSON.parse(got.stdout) as Run;
    const redelivered = cli("deliveries", "redeliver", deliveryId ?? "");
    expect(JSON.parse(redelivered.stdout)).toMatchObject({ redeliveryOf: deliveryId, outcome: "accepted" });
    const inferred = cli("triggers", "infer", "signup", "--since", "1d");
    expect([inferred.status, inferred.stderr]).toEqual([0, expect.any(String)]);
    const { trigger } = JSON.parse(inferred.stdout) as InferredTriggerAnswer;
    expect(trigger.code).toContain('endpoint: "signup",');
    expect(trigger.code).toContain("name: z.string(), // in ");
  });
});

describe("the commands of the documentation", () => {
  const commands = pagesWithBlocks
    .flatMap(readBlocks)
    .filter((block) => block.page !== "README.md" && testOf(block) === "e2e/first-webhook.test.ts");

  it("that need nothing but the project of `signalbox init` and `signalbox dev` succeed", async ({ service }) => {
    expect(commands.length).toBeGreaterThan(5);
    // For `signalbox doctor billing`: an accepted delivery.
    const paid = JSON.parse(readFileSync(join(projectDir, "requests/invoice-paid.json"), "utf8")) as object;
    expect((await postJson(`${service.url}/triggers/billing`, paid)).status).toBe(202);
    const shell = createReaderShell(projectDir);
    for (const { text } of commands) shell(text, service.url);
  });
});

/** The same request as in the README. */
function readmeCurl() {
  const readme = readFileSync(join(repository, "README.md"), "utf8");
  const match = /curl -i http:\/\/127\.0\.0\.1:3002(\S+) \\\n\s+-H '([^:]+): ([^']+)' \\\n\s+-d '([^']+)'/.exec(readme);
  const [, path, name, value, body] = match ?? [];
  if (!path || !name || !value || !body) throw new Error("The README has no curl to send");
  return { path, headers: { [name]: value }, body };
}
