import { createHmac, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { type Service, signalbox, startService } from "./support/service.ts";

const secret = "of-the-sender-in-a-file";
const encryptionKey = `SIGNALBOX_ENCRYPTION_KEYS=${randomBytes(32).toString("base64")}\n`;
const project = {
  ".env": `GREETING=Hello\nSET=by the file\nPUSH_SECRET=${secret}\n${encryptionKey}`,
  "signalbox.config.ts": `import { defineConfig } from "signalbox/config";
export default defineConfig({ encryption: true });
`,
  "triggers/greet.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import greet from "../workflows/greet";
export default defineWebhookSource({ slug: "greet", endpoint: "greet", request: z.object({ name: z.string() }) }).attach({ workflow: greet });
`,
  "triggers/pushed.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import greet from "../workflows/greet";
export default defineWebhookSource({
  slug: "pushed",
  endpoint: "pushed",
  request: z.object({ name: z.string() }),
  verify: github({ secret: process.env.PUSH_SECRET }),
}).attach({ workflow: greet });
`,
  "workflows/greet.ts": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({
  slug: "greet",
  input: z.object({ name: z.string() }),
  run: ({ name }) => [process.env.GREETING, name, process.env.SET].join(),
});
`,
};

async function greet(service: Service): Promise<unknown> {
  const { runs } = (await (await postJson(`${service.url}/triggers/greet`, { name: "Ada" })).json()) as {
    runs: { runId: string }[];
  };
  return (await waitForRun(service, runs[0]?.runId ?? "")).output;
}

it("dev loads .env, never over what is set, and restarts on the same port when it changes", async () => {
  const projectDir = writeProject(project);
  const service = await startService({ projectDir, command: "dev", env: { SET: "before" } });
  expect(await greet(service)).toBe("Hello,Ada,before");
  writeFileSync(join(projectDir, ".env"), `GREETING=Hola\nSET=by the file\nPUSH_SECRET=${secret}\n${encryptionKey}`);
  await vi.waitFor(
    async () => {
      expect(service.output()).toContain("Changed variables (GREETING): restarting.");
      expect(await greet(service)).toBe("Hola,Ada,before");
    },
    { interval: 200 },
  );
});

it("build and start load .env, or the files of --env-file; a file that does not exist is named", async () => {
  const projectDir = writeProject({ ...project, "production.env": "GREETING=Bonjour\nSET=by another file\n" });
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  const built = cli("build");
  expect([built.status, built.stderr]).toEqual([0, ""]);
  expect(cli("build", "--env-file", "production.env").stderr).toContain("PUSH_SECRET is not set: triggers/pushed.ts");
  const rejected = cli("start", "--env-file", "missing.env");
  // Node itself reads the option, too.
  expect([rejected.status, rejected.stderr]).toEqual([9, expect.stringContaining("missing.env: not found")]);
  const lacking = cli("start", "--env-file", "production.env");
  expect([lacking.status, lacking.stderr]).toEqual([
    1,
    expect.stringMatching(
      /there is no key\. Set SIGNALBOX_ENCRYPTION_KEYS, .*\n\s*PUSH_SECRET is not set \(triggers\/pushed\.ts\)/,
    ),
  ]);

  const service = await startService({ projectDir, command: "start" });
  const url = new URL(cli("triggers", "url", "pushed").stdout.trim());
  const body = '{"name":"Ada"}';
  const response = await fetch(`${service.url}${url.pathname}${url.search}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  });
  expect(response.status).toBe(202);
});
