import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { freePort } from "../scripts/free-port.ts";
import { postJson, waitForRun } from "./support/api.ts";
import { visit } from "./support/browser.ts";
import { copyStarter, repository } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

/** In one file, one after the other: a checkout can have only one development server of Next. */
describe("from the sources", () => {
  it("`npm run dev` starts the example project, with its page, and answers the requests of the README", async () => {
    const projectDir = join(repository, "examples/starter");
    const service = await startService({ projectDir, command: "dev", program: ["npm", "run"], npmScript: true });
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    expect(response.status).toBe(202);
    const { runId } = (await response.json()) as { runId: string };
    expect(await waitForRun(service, runId)).toMatchObject({ status: "completed" });
    // The second request of the README, from the file that it names.
    const readme = readFileSync(join(repository, "README.md"), "utf8");
    const [, endpoint = "", file = ""] = /curl http:\/\/127\.0\.0\.1:3002(\S+) .* --data @(\S+)/.exec(readme) ?? [];
    const asked = await postJson(service.url + endpoint, JSON.parse(readFileSync(join(repository, file), "utf8")));
    const agentRun = await waitForRun(service, ((await asked.json()) as { runId: string }).runId);
    expect(agentRun).toMatchObject({
      status: "completed",
      target: { kind: "agent", slug: "triage" },
      output: { summary: expect.stringContaining("no model was called") },
    });
    const { page, errors } = await visit(service.url);
    // Next compiles the page at its first request.
    await page.goto(service.url, { timeout: 300_000 });
    await page.getByRole("link", { name: /^Trigger new-signup/ }).waitFor({ timeout: 300_000 });
    expect(errors).toEqual([]);
  });

  it("Next alone, without Signalbox's server: its route handler receives webhooks through the same pipeline, and their runs complete", async () => {
    const projectDir = copyStarter();
    const command = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
    expect(command("build").status).toBe(0);
    const port = await freePort();
    const next = spawn(
      join(repository, "node_modules/.bin/next"),
      ["dev", "--port", String(port), "--hostname", "127.0.0.1"],
      {
        cwd: repository,
        env: { ...cleanEnvironment(), SIGNALBOX_PROJECT: projectDir, NEXT_TELEMETRY_DISABLED: "1" },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    next.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    next.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    onTestFinished(async () => {
      if (next.pid && next.exitCode === null) process.kill(-next.pid, "SIGKILL");
      await new Promise((resolve) =>
        next.exitCode === null && next.signalCode === null ? next.once("exit", resolve) : resolve(null),
      );
    });
    const triggers = `http://127.0.0.1:${port}/triggers`;
    // Next closes idle connections after five seconds, which a command can take: a request must not use one of them.
    const unshared = { connection: "close" };
    // Next does not report the sender's address: a key is required, also in development.
    await vi.waitFor(
      async () => expect((await postJson(`${triggers}/signup`, {}, unshared)).status, output).toBe(401),
      { timeout: 300_000, interval: 200 },
    );

    const ada = { name: "Ada", email: "ada@example.com" };
    const { secret } = JSON.parse(command("keys", "create", "--json").stdout) as { secret: string };
    const key = { authorization: `Bearer ${secret}`, ...unshared };
    const accepted = await postJson(`${triggers}/signup`, ada, key);
    expect(accepted.status, output).toBe(202);
    const { runId } = (await accepted.json()) as { runId: string };
    await vi.waitFor(
      () =>
        expect(JSON.parse(command("runs", "get", runId, "--json").stdout)).toMatchObject({
          status: "completed",
          trigger: "new-signup",
        }),
      { timeout: 300_000, interval: 200 },
    );

    const mismatch = await postJson(`${triggers}/signup`, { name: "", email: "ada@example.com" }, key);
    expect(mismatch.status).toBe(422);
    expect(await mismatch.json()).toMatchObject({ code: "request_mismatch", errors: [{ pointer: "/name" }] });
    expect((await fetch(`${triggers}/signup`, { headers: key })).status).toBe(405);
    expect((await postJson(`${triggers}/nowhere`, {}, key)).status).toBe(404);
  });
});
