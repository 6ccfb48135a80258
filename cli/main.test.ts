import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, vi } from "vitest";
import { entryFile } from "../server/paths.ts";
import { edit, it, signalbox, write } from "./commands/testing/cli-process.ts";

const signup = '{"name": "Ada", "email": "ada@example.com"}';

vi.setConfig({ maxConcurrency: 3 });

describe.concurrent("signalbox init", () => {
  it("creates a project that builds", async ({ emptyFolder, expect }) => {
    const cwd = emptyFolder();
    const made = await signalbox(["init", "my-hooks"], { cwd });
    expect(made).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("Next:\n  cd my-hooks\n  npm install\n  npx signalbox dev\n"),
    });
    const files = readdirSync(join(cwd, "my-hooks"));
    expect(files).toContain(".gitignore");
    expect(files).not.toContain("gitignore");
    expect(JSON.parse(readFileSync(join(cwd, "my-hooks/package.json"), "utf8"))).toMatchObject({
      name: "my-hooks",
      type: "module",
    });
  });

  it("works in a folder with a package.json, and a second time in the same folder", async ({ emptyFolder, expect }) => {
    const cwd = emptyFolder();
    write(cwd, "package.json", '{"name":"mine","version":"1.0.0","dependencies":{"signalbox":"file:x.tgz"}}');
    write(cwd, ".gitignore", "coverage\n");
    expect((await signalbox(["init", "."], { cwd })).status).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"))).toMatchObject({
      name: "mine",
      version: "1.0.0",
      dependencies: { signalbox: "file:x.tgz" },
    });
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toMatch(/^coverage\n[\s\S]*\.signalbox/);
    expect(await signalbox(["init", ".", "--json"], { cwd })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"files": []'),
    });
  });

  it("overwrites existing files only with --force", async ({ emptyFolder, expect }) => {
    const cwd = emptyFolder();
    write(cwd, "triggers/new-signup.ts", "mine");
    const rejected = await signalbox(["init"], { cwd });
    expect(rejected).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /A file already exists with other contents[\s\S]*triggers\/new-signup\.ts[\s\S]*--force/,
      ),
    });
    expect(readdirSync(cwd)).toEqual(["triggers"]);
    expect(JSON.parse((await signalbox(["init", "--json"], { cwd })).stdout).error.conflicts).toEqual([
      "triggers/new-signup.ts",
    ]);
    expect((await signalbox(["init", "--force"], { cwd })).status).toBe(0);
    expect(readFileSync(join(cwd, "triggers/new-signup.ts"), "utf8")).toContain("defineWebhookSource");
  });
});

describe.concurrent("signalbox build", () => {
  it("prints what it built; without a build, commands name the fix", async ({ copyStarter, expect }) => {
    const cwd = copyStarter();
    expect(await signalbox(["triggers", "list"], { cwd })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("signalbox build"),
    });
    expect(await signalbox(["start"], { cwd })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("signalbox build"),
    });
    const built = await signalbox(["build"], { cwd });
    expect(built).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(
        /^✓ built [0-9a-f]+ in .+: \d+ triggers, \d+ workflows, 1 agent, in \.\/\.signalbox\/builds\//,
      ),
    });
    expect(JSON.parse((await signalbox(["build", "--json"], { cwd })).stdout)).toMatchObject({
      version: /built ([0-9a-f]+)/.exec(built.stdout)?.[1],
      triggers: expect.any(Number),
    });
    expect((await signalbox(["triggers", "list", "--project", cwd], { cwd: "/" })).stdout).toContain(
      "POST /triggers/signup",
    );
  });

  it("prints its errors on stderr, and with --json on stdout", async ({ copyStarter, expect }) => {
    const cwd = copyStarter();
    edit(cwd, "triggers/new-signup.ts", (text) => text.replace("z.email()", "z.email().transform((x) => x)"));
    const failed = await signalbox(["build"], { cwd });
    expect(failed).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/triggers\/new-signup\.ts › request[^\n]+\.transform\(\)/),
    });
    expect(failed.stderr).not.toMatch(/^\s+at /m);
    const json = await signalbox(["build", "--json"], { cwd });
    expect(json).toMatchObject({ status: 1, stderr: "" });
    expect(JSON.parse(json.stdout).error).toMatchObject({
      code: "build_failed",
      diagnostics: [{ file: "triggers/new-signup.ts" }],
    });
  });
});

describe.concurrent("a failed build with warnings", () => {
  it("fails with its error; with --json the warnings are separate", async ({ copyStarter, expect }) => {
    const cwd = copyStarter();
    edit(cwd, "triggers/new-signup.ts", (text) => text.replace("z.email()", "z.email().transform((x) => x)"));
    // Comes before the error, by its name.
    writeFileSync(
      join(cwd, "triggers/a-warning.ts"),
      `import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import welcomeEmail from "../workflows/welcome-email";
export default defineWebhookSource({ slug: "a", endpoint: "a", request: z.object({ to: z.email(), displayName: z.string() }), verify: github({ secret: undefined }) }).attach({ workflow: welcomeEmail });
`,
    );
    const { status, stdout } = await signalbox(["build", "--json"], { cwd });
    const { error } = JSON.parse(stdout) as { error: { message: string; diagnostics: unknown[]; warnings: unknown[] } };
    expect([status, error.message]).toEqual([1, expect.stringContaining("triggers/new-signup.ts › request")]);
    expect(error.diagnostics).toMatchObject([{ severity: "error", file: "triggers/new-signup.ts" }]);
    expect(error.warnings).toMatchObject([
      { severity: "warning", code: "missing_secret", file: "triggers/a-warning.ts" },
    ]);
  });
});

describe.concurrent("output", () => {
  it("a reader that closes stdout early is not a failure", async ({ expect }) => {
    const child = spawn(process.execPath, [entryFile("cli"), "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdout.destroy();
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    expect(stderr).toBe("");
  });

  it("an invalid SIGNALBOX_URL is one line", async ({ expect }) => {
    const { status, stderr } = await signalbox(["keys", "list"], {
      cwd: "/",
      env: { SIGNALBOX_URL: "hooks.example.com" },
    });
    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringContaining("SIGNALBOX_URL must start with http:// or https://"),
    ]);
  });
});

describe.concurrent("signalbox dev", () => {
  it("serves the project, prints deliveries and runs, and rebuilds on changes; commands find it", async ({
    copyStarter,
    startSignalbox,
    expect,
  }) => {
    const cwd = copyStarter();
    const dev = startSignalbox(["dev", "--port", "0"], { cwd });
    const [, url] = await dev.printed(/in development on (http:\/\/127\.0\.0\.1:\d+)\n/);
    await dev.printed(new RegExp(`curl ${url}/triggers/`));
    expect(JSON.parse(readFileSync(join(cwd, ".signalbox/server.json"), "utf8"))).toMatchObject({
      pid: dev.child.pid,
      url,
      mode: "development",
    });

    expect((await signalbox(["triggers", "url", "new-signup"], { cwd })).stdout).toBe(`${url}/triggers/signup\n`);
    const sent = await signalbox(["triggers", "send", "new-signup", "--data", signup, "--wait", "--json"], { cwd });
    expect(sent).toMatchObject({ status: 0, stderr: "" });
    const { body, runs } = JSON.parse(sent.stdout);
    expect(runs).toMatchObject([{ id: body.runId, status: "completed", startedBy: "webhook" }]);
    await dev.printed(
      new RegExp(`POST /triggers/signup  202 accepted[^\\n]*\\n[^\\n]*✓ matched +new-signup  ${body.runId}`),
    );
    await dev.printed(new RegExp(`✓ completed  new-signup → welcome-email[^\\n]*${body.runId}`));
    expect((await signalbox(["runs", "get", body.runId], { cwd })).stdout).toMatch(
      /^✓ completed {2}run_[\s\S]+attempt started[\s\S]+input\n/,
    );
    expect(await signalbox(["triggers", "send", "new-signup", "--data", "{"], { cwd })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^✗ 400: /),
    });
    expect(await signalbox(["triggers", "send", "signup", "--data", "-"], { cwd, input: "{}" })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^✗ 422: [\s\S]+\/name: /),
    });

    edit(cwd, "triggers/new-signup.ts", (text) => text.replace('endpoint: "signup"', 'endpoint: "sign-up"'));
    await dev.printed(/rebuilt as \w+/);
    expect((await signalbox(["triggers", "url", "new-signup"], { cwd })).stdout).toBe(`${url}/triggers/sign-up\n`);

    edit(cwd, "workflows/welcome-email.ts", (text) => `${text}\nexport const x: = 1;\n`);
    await dev.printed(/workflows\/welcome-email\.ts[\s\S]+is still served/);
    expect(
      (
        await fetch(`${url}/triggers/sign-up`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: signup,
        })
      ).status,
    ).toBe(202);
    edit(cwd, "workflows/welcome-email.ts", (text) => text.replace("\nexport const x: = 1;\n", ""));
    await dev.printed(/is unchanged and still served/);
    edit(cwd, "signalbox.config.ts", (text) =>
      text.replace(/defineConfig\(\{/, "defineConfig({ port: 4321, maxBodyBytes: 5000,"),
    );
    await dev.printed(/Changed settings \(maxBodyBytes\) take effect when/);

    dev.child.kill("SIGTERM");
    expect(await dev.ended()).toBe(0);
    expect(existsSync(join(cwd, ".signalbox/server.json"))).toBe(false);
    expect(await signalbox(["triggers", "send", "new-signup", "--data", signup], { cwd })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No service runs for"),
    });
  });

  it("starts once the build succeeds, and with --json prints one document per line", async ({
    copyStarter,
    startSignalbox,
    expect,
  }) => {
    const cwd = copyStarter();
    const good = readFileSync(join(cwd, "workflows/welcome-email.ts"), "utf8");
    writeFileSync(join(cwd, "workflows/welcome-email.ts"), "export default 1 +;\n");
    const dev = startSignalbox(["dev", "--port", "0", "--json"], { cwd });
    await dev.printed(/"ok":false/);
    writeFileSync(join(cwd, "workflows/welcome-email.ts"), `${good}\nconsole.log("printed by the project");\n`);
    await dev.printed(/"event":"ready"[^\n]*\n/);
    const sent = await signalbox(["triggers", "send", "new-signup", "--data", signup, "--wait"], { cwd });
    expect(sent).toMatchObject({ status: 0, stderr: "" });
    await dev.printed(/"event":"run"[^\n]*"completed"[^\n]*\n/);
    dev.child.kill("SIGINT");
    expect(await dev.ended()).toBe(0);
    const events = dev
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string });
    // The run sleeps in between, so it is reported twice.
    expect([...new Set(events.map(({ event }) => event))]).toEqual(["build", "ready", "delivery", "run", "stopping"]);
    expect(dev.stderr()).toContain("printed by the project");
  });

  it("names the port that is in use, and the option to change it", async ({
    copyStarter,
    startSignalbox,
    onEnd,
    expect,
  }) => {
    const cwd = copyStarter();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onEnd(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const dev = startSignalbox(["dev", "--port", String(port)], { cwd });
    expect(await dev.ended()).toBe(1);
    expect(dev.stderr()).toContain(`Port ${port} is in use`);
    expect(dev.stderr()).toContain("--port");
    expect(dev.stderr()).not.toMatch(/^\s+at /m);
    expect(existsSync(join(cwd, ".signalbox/server.json"))).toBe(false);
  });

  it("does not announce itself to commands when it cannot start", async ({
    copyStarter,
    startSignalbox,
    onEnd,
    expect,
  }) => {
    const cwd = copyStarter();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onEnd(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const first = {
      pid: process.pid,
      url: `http://127.0.0.1:${port}`,
      mode: "development",
      startedAt: new Date().toISOString(),
    };
    mkdirSync(join(cwd, ".signalbox"), { recursive: true });
    writeFileSync(join(cwd, ".signalbox/server.json"), JSON.stringify(first));
    const dev = startSignalbox(["dev", "--port", String(port)], { cwd });
    expect(await dev.ended()).toBe(1);
    expect(dev.stderr()).toContain(`Port ${port} is in use`);
    expect(dev.stderr()).not.toContain("Commands now use");
    expect(JSON.parse(readFileSync(join(cwd, ".signalbox/server.json"), "utf8"))).toEqual(first);
  });
});

describe.concurrent("signalbox start", () => {
  it("creates the first key, requires it, and logs JSON lines", async ({ copyStarter, startSignalbox, expect }) => {
    const cwd = copyStarter();
    expect((await signalbox(["build"], { cwd })).status).toBe(0);
    const service = startSignalbox(["start", "--port", "0"], { cwd });
    await service.printed(/Created the first webhook key \(key_\w+\)/);
    const [, url] = await service.printed(/deployed on (\S+)\n/);
    const withToken = (await signalbox(["triggers", "url", "new-signup"], { cwd })).stdout;
    expect(withToken).toMatch(new RegExp(`^${url}/triggers/signup\\?token=sbk_\\w+\n$`));
    expect((await fetch(`${url}/triggers/signup`, { method: "POST", body: signup })).status).toBe(401);
    expect((await signalbox(["triggers", "send", "new-signup", "--data", signup, "--wait"], { cwd })).status).toBe(0);

    const token = (await signalbox(["keys", "create", "--api", "--scope", "admin"], { cwd })).stdout.trim();
    const remote = (...args: string[]) =>
      signalbox(args, { cwd: "/", env: { SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token } });
    expect((await remote("triggers", "runs", "list", "new-signup")).stdout).toMatch(/✓ completed {2}run_/);
    expect((await remote("triggers", "send", "new-signup", "--data", signup, "--wait")).status).toBe(0);
    expect(await signalbox(["keys", "list"], { cwd: "/", env: { SIGNALBOX_URL: url } })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("SIGNALBOX_TOKEN"),
    });

    service.child.kill("SIGTERM");
    expect(await service.ended()).toBe(0);
    for (const line of service.stderr().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
    const again = startSignalbox(["start", "--port", "0"], { cwd });
    await again.printed(/deployed on/);
    expect(again.stderr()).not.toContain("Created the first webhook key");
  });
});
