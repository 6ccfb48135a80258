import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "../scripts/free-port.ts";
import { postJson } from "./support/api.ts";
import { copyStarter, repository } from "./support/project.ts";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { signalbox } from "./support/service.ts";

describe("if Next serves the app without Signalbox's server", () => {
  it("its route handler receives webhooks through the same pipeline, and their runs complete", async () => {
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
    // Next does not report the sender's address: a key is required, also in development.
    await vi.waitFor(
      async () => expect((await fetch(`${triggers}/signup`, { method: "POST" })).status, output).toBe(401),
      { timeout: 60_000, interval: 200 },
    );

    const ada = { name: "Ada", email: "ada@example.com" };
    const { secret } = JSON.parse(command("keys", "create", "--json").stdout) as { secret: string };
    const key = { authorization: `Bearer ${secret}` };
    const accepted = await postJson(`${triggers}/signup`, ada, key);
    expect(accepted.status, output).toBe(202);
    const { runId } = (await accepted.json()) as { runId: string };
    await vi.waitFor(
      () =>
        expect(JSON.parse(command("runs", "get", runId, "--json").stdout)).toMatchObject({
          status: "completed",
          trigger: "new-signup",
        }),
      { timeout: 30_000, interval: 200 },
    );

    const mismatch = await postJson(`${triggers}/signup`, { name: "", email: "ada@example.com" }, key);
    expect(mismatch.status).toBe(422);
    expect(await mismatch.json()).toMatchObject({ code: "request_mismatch", errors: [{ pointer: "/name" }] });
    expect((await fetch(`${triggers}/signup`, { headers: key })).status).toBe(405);
    expect((await postJson(`${triggers}/nowhere`, {}, key)).status).toBe(404);
  });
});
