import { createHmac } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Delivery } from "../server/contract/delivery.ts";
import { getJson, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const [stale, current] = ["canary-secret-of-yesterday", "canary-secret-of-today"];
const body = '{ "ref": "refs/heads/main",\r\n "n": 1.0 }';
const signature = `sha256=${createHmac("sha256", current).update(body).digest("hex")}`;

const project = {
  "triggers/pushed.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import note from "../workflows/note";
export default defineWebhookSource({
  slug: "pushed",
  endpoint: "github",
  request: z.object({ ref: z.string() }),
  verify: github({ secret: process.env.GITHUB_SECRET }),
  dedupe: { header: "x-github-delivery" },
}).attach({ workflow: note });
`,
  "workflows/note.ts": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "note", input: z.object({ ref: z.string() }), run: ({ ref }) => ref });
`,
};

it("a service with a wrong secret keeps rejected deliveries; after the secret is fixed they are redelivered and run, and no secret is written to disk or log", async () => {
  const projectDir = writeProject(project);
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  const built = cli("build");
  expect([built.status, built.stderr]).toEqual([
    0,
    expect.stringContaining("GITHUB_SECRET is not set: triggers/pushed.ts"),
  ]);
  expect(built.stderr).toContain("x-github-delivery is not signed by github, so it is ignored");
  const rejected = cli("start", "--port", "0");
  expect([rejected.status, rejected.stderr]).toEqual([
    1,
    expect.stringContaining(
      "GITHUB_SECRET is not set (triggers/pushed.ts). Set the variable in the environment or in .env",
    ),
  ]);
  expect(rejected.stderr).not.toMatch(/^\s+at /m);

  const before = await startService({ projectDir, command: "start", env: { GITHUB_SECRET: stale } });
  const path = new URL(cli("triggers", "url", "pushed").stdout.trim());
  const send = (origin: string) =>
    fetch(`${origin}${path.pathname}${path.search}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": signature,
        "x-github-delivery": "72d3162e",
      },
      body,
    });
  const answer = await send(before.url);
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Signature"]);
  expect(await answer.json()).toMatchObject({
    code: "invalid_signature",
    detail: expect.stringContaining("x-hub-signature-256 does not match"),
  });
  const id = answer.headers.get("signalbox-delivery");
  const { secret: token } = JSON.parse(
    cli("keys", "create", "--api", "--scope", "admin", "--name", "ci", "--json").stdout,
  ) as {
    secret: string;
  };
  const headers = { authorization: `Bearer ${token}` };
  const redeliver = (origin: string) =>
    fetch(`${origin}/api/v1/deliveries/${id}/redeliver`, { method: "POST", headers });
  const tooEarly = await redeliver(before.url);
  expect([tooEarly.status, await tooEarly.text()]).toEqual([409, expect.stringContaining("is still invalid")]);
  expect(await before.stop()).toBe(0);

  const after = await startService({ projectDir, command: "start", env: { GITHUB_SECRET: current } });
  const kept = await getJson<Delivery>(`${after.url}/api/v1/deliveries/${id}`, headers);
  expect(kept).toMatchObject({
    outcome: "rejected",
    responseStatus: 401,
    body: Buffer.from(body).toString("base64"),
    headers: { "x-hub-signature-256": signature },
  });
  const again = (await (await redeliver(after.url)).json()) as Delivery;
  expect(again).toMatchObject({ outcome: "accepted", redeliveryOf: id });
  const runId = again.verdicts[0]?.runId ?? "";
  expect(await waitForRun(after, runId, headers)).toMatchObject({ status: "completed", output: "refs/heads/main" });
  // GitHub sends it again by itself: the event has run.
  const repeated = await send(after.url);
  expect([repeated.status, repeated.headers.get("idempotent-replayed"), await repeated.json()]).toEqual([
    202,
    "true",
    expect.objectContaining({ runId }),
  ]);
  const listed = await getJson<{ data: unknown[] }>(`${after.url}/api/v1/triggers`, headers);
  expect(listed.data).toMatchObject([
    { verify: "github", dedupe: { header: null, field: null, windowMs: 86_400_000 } },
  ]);
  expect(await after.stop()).toBe(0);

  const written = filesBelow(join(projectDir, ".signalbox")).map((file) => readFileSync(file).toString("latin1"));
  const everything = [...written, before.output(), after.output(), JSON.stringify(listed), built.stderr].join("\n");
  expect(everything).toContain("invalid_signature");
  expect(everything).not.toContain("canary-secret");
});

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}
