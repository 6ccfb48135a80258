import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "../scripts/free-port.ts";
import { postJson, waitForRun } from "./support/api.ts";
import { copyStarter, repository } from "./support/project.ts";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { signalbox } from "./support/service.ts";

describe("in Next without the supervisor", () => {
  it("the route handler at app/triggers accepts webhooks through the same pipeline, and their runs complete", async () => {
    const projectDir = copyStarter();
    expect(signalbox(["build", "--project", projectDir], { cwd: projectDir }).status).toBe(0);
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
    const service = { url: `http://127.0.0.1:${port}` };
    await vi.waitFor(async () => expect((await fetch(`${service.url}/healthz`)).status, output).toBe(200), {
      timeout: 60_000,
      interval: 200,
    });

    const ada = { name: "Ada", email: "ada@example.com" };
    // Next does not say where a request comes from: a key is needed, also in development.
    expect((await fetch(`${service.url}/triggers/signup`, { method: "POST" })).status).toBe(401);
    const { secret } = JSON.parse(
      signalbox(["keys", "create", "--json", "--project", projectDir], { cwd: projectDir }).stdout,
    ) as { secret: string };
    const key = { authorization: `Bearer ${secret}` };
    const accepted = await postJson(`${service.url}/triggers/signup`, ada, key);
    expect(accepted.status, output).toBe(202);
    const { runId } = (await accepted.json()) as { runId: string };
    expect(await waitForRun(service, runId, key)).toMatchObject({ status: "completed", trigger: "new-signup" });

    const mismatch = await postJson(`${service.url}/triggers/signup`, { name: "", email: "ada@example.com" }, key);
    expect(mismatch.status).toBe(422);
    expect(await mismatch.json()).toMatchObject({ code: "request_mismatch", errors: [{ pointer: "/name" }] });
    expect((await fetch(`${service.url}/triggers/signup`, { headers: key })).status).toBe(405);
    expect((await postJson(`${service.url}/triggers/nowhere`, {}, key)).status).toBe(404);
  });
});
