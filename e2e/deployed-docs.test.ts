/** The commands and requests of the documentation that need a deployed service, and a token in the environment. */
import { expect, it } from "vitest";
import { pagesWithBlocks, readBlocks, testOf } from "../scripts/doc-blocks.ts";
import { waitForRun } from "./support/api.ts";
import { copyStarter, writeFiles } from "./support/project.ts";
import { createReaderShell } from "./support/reader-shell.ts";
import { signalbox, startService } from "./support/service.ts";

it("each command of the documentation for a deployed service succeeds against the project of `signalbox init`", async () => {
  const projectDir = copyStarter();
  // The release in docs/receiving.md needs an endpoint named `orders` that holds a delivery, and then accepts it.
  const deploy = async (id: string) => {
    writeFiles(projectDir, { "triggers/orders.ts": holdingTrigger(id) });
    const built = signalbox(["build"], { cwd: projectDir });
    expect(built.status, built.stderr).toBe(0);
    return startService({ projectDir, command: "start" });
  };
  let service = await deploy("z.string()");
  const onMachine = createReaderShell(projectDir);
  const token = onMachine("npx signalbox keys create --api --scope admin --name docs", service.url).trim();
  const shell = (lines: string) =>
    onMachine(
      `export SIGNALBOX_URL=${service.url} SIGNALBOX_TOKEN=${token}\ncurl() { command curl -sf "$@"; }\n${lines
        .replaceAll("https://hooks.example.com", service.url)
        .replaceAll("dlv_…", deliveryId)
        .replaceAll("run_…", runId)}`,
      service.url,
    );

  const post = async (endpoint: string, body: unknown) => {
    const url = onMachine(`npx signalbox triggers url ${endpoint}`, service.url).trim();
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(202);
    return {
      id: response.headers.get("signalbox-delivery") ?? "",
      answer: (await response.json()) as { runId?: string; held?: boolean },
    };
  };
  const held = await post("orders", { id: 1 });
  expect(held.answer).toEqual({ ok: true, held: true });
  await service.stop();
  service = await deploy("z.int()");
  const { id: deliveryId, answer } = await post("signup", { name: "Ada", email: "ada@example.com" });
  const runId = answer.runId ?? "";
  expect(await waitForRun(service, runId, { "x-api-key": token })).toMatchObject({ status: "completed" });

  const blocks = pagesWithBlocks.flatMap(readBlocks).filter((block) => testOf(block) === "e2e/deployed-docs.test.ts");
  const printed: Record<string, string> = {};
  const afterStop: string[] = [];
  for (const { page, text } of blocks) {
    const lines = text.split("\n");
    // A store is backed up and restored on its machine.
    const isOfStore = text.includes("signalbox backup");
    const now = lines.filter((line) => !line.startsWith("signalbox restore ")).join("\n");
    printed[page] = (printed[page] ?? "") + (isOfStore ? onMachine(now, service.url) : shell(now));
    afterStop.push(...lines.filter((line) => line.startsWith("signalbox restore ")));
  }
  // What each page says that its commands do.
  expect(printed).toEqual({
    "docs/agents.md": expect.stringContaining(`"tokens"`),
    "docs/api.md": expect.stringMatching(/"runId"/),
    "docs/receiving.md": expect.stringContaining(held.id),
    "docs/sensitive-data.md": expect.stringContaining("ada@example.com"),
    "docs/upkeep.md": expect.any(String),
  });

  await service.stop();
  expect(afterStop).toHaveLength(1);
  for (const line of afterStop) onMachine(line, service.url);
  const restored = await startService({ projectDir, command: "start" });
  expect(await waitForRun(restored, runId, { "x-api-key": token })).toMatchObject({ id: runId, status: "completed" });
});

const holdingTrigger = (id: string) => `import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import welcomeEmail from "../workflows/welcome-email";

export default defineEndpoint({ endpoint: "orders", onMismatch: "hold" })
  .source({ slug: "orders", request: z.object({ id: ${id} }) })
  .attach({ workflow: welcomeEmail, transform: ({ id }) => ({ to: "ada@example.com", displayName: \`\${id}\` }) });
`;
