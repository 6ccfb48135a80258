import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startCluster } from "../scripts/postgres-cluster.ts";
import { postJson, waitForRun } from "./support/api.ts";
import { testChanges } from "./packed/changes.ts";
import { visit } from "./support/browser.ts";
import { buildStage, readDockerfile, workingDirectory } from "./support/dockerfile.ts";
import { repository } from "./support/project.ts";
import { cleanEnvironment } from "../scripts/clean-environment.ts";
import { startService } from "./support/service.ts";

// npm installs slowly on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** The tarball that the pack step made, in a folder of a new user's. */
const packFolder = join(repository, "node_modules/.cache/pack");
const dir = mkdtempSync(join(tmpdir(), "signalbox-packed-"));
const env = {
  ...cleanEnvironment(),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
  // Nothing is compiled: a user's machine and the image have no Python.
  npm_config_python: "/nonexistent/python3",
};
const npx = ["npx", "--no-install", "signalbox"];

function sh(command: string, args: string[]): string {
  return execFileSync(command, args, { cwd: dir, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Of the system's choice; an image says its port by PORT. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * The README's commands for a project of one's own: those that pack, those that install, those that make the project
 * and start it.
 */
const readme = readFileSync(join(repository, "README.md"), "utf8");
const [packing = "", installing = "", making = ""] =
  /In a project of your own[^]*?```sh\n([^]*?)```/.exec(readme)?.[1]?.split("\n") ?? [];

function findTarball(name: string): string {
  const files = existsSync(packFolder) ? readdirSync(packFolder) : [];
  const tarball = files.find(
    (file) => file.startsWith(`${name}-`) && /^\d+\.\d+\.\d+\.tgz$/.test(file.slice(name.length + 1)),
  );
  if (!tarball) throw new Error("There is no tarball: run `npm test -- pack` first");
  return tarball;
}

beforeAll(() => {
  const tarball = findTarball("signalbox");
  // What the README's first line leaves in the folder.
  copyFileSync(join(packFolder, tarball), join(dir, tarball));
  sh("sh", ["-c", installing.replace("cd ../my-hooks && ", "")]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));

/** A program of the project's owner, typed by a workflow and a trigger. */
const startWelcome = `import { createClient } from "signalbox/client";
import type newSignup from "./triggers/new-signup";
import type welcomeEmail from "./workflows/welcome-email";

const client = createClient({ url: process.argv[2] ?? "" });
const run = await client.start<typeof welcomeEmail>("welcome-email", { to: "ada@example.com", displayName: "Ada" });
const { messageId } = await client.waitFor(run, { timeout: "1m" });
console.log(messageId);
const [fired] = await client.fire<typeof newSignup>("new-signup", { name: "Grace", email: "grace@example.com" });
if (!fired) throw new Error("The trigger did not fire.");
console.log("fired", (await client.waitFor(fired, { timeout: "1m" })).messageId);
`;

/** Builds an image without Docker, in temporary folders for `/app` and `/data`, serves a webhook, and stops it. */
async function expectServedImage(p: { context: string; dockerfile: string }): Promise<void> {
  const [build, image] = readDockerfile(p.dockerfile);
  const [app, data, cache] = ["image", "data", "cache"].map((name) =>
    mkdtempSync(join(tmpdir(), `signalbox-${name}-`)),
  );
  if (!build || !image || !app || !data || !cache) throw new Error("The Dockerfile has two stages.");
  onTestFinished(() =>
    [app, data, cache].forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })),
  );
  // An image has no cache of npm's from before: a tarball must be among what was copied.
  const cwd = buildStage(build, { from: p.context, to: app, env: { ...env, npm_config_cache: cache } });
  expect(workingDirectory(image.steps.findLast(({ name }) => name === "WORKDIR")?.rest ?? "", app)).toBe(cwd);
  expect(existsSync(join(app, "node_modules/typescript"))).toBe(false);
  expect(image.user).toBe("node");

  const settings = Object.fromEntries(
    Object.entries(image.env).map(([name, value]) => [name, value.replace("/data", data)]),
  );
  const inside = {
    ...env,
    ...settings,
    PORT: String(await freePort()),
    SIGNALBOX_HOST: "127.0.0.1",
    SIGNALBOX_SECRET: "a secret for this test alone",
  };
  const isHealthy = () =>
    spawnSync(image.healthcheck[0] ?? "", image.healthcheck.slice(1), { cwd, env: inside }).status === 0;
  expect(isHealthy()).toBe(false);
  const [program = "", ...args] = image.cmd;
  const service = spawn(program, args, { cwd, env: inside, stdio: "ignore", detached: true });
  const ended = once(service, "exit");
  onTestFinished(() => void (service.exitCode === null && service.pid && process.kill(-service.pid, "SIGKILL")));
  await expect.poll(isHealthy, { interval: 300 }).toBe(true);
  const url = execFileSync(program, [...args.slice(0, -1), "triggers", "url", "new-signup"], {
    cwd,
    env: inside,
    encoding: "utf8",
  }).trim();
  expect((await postJson(url, { name: "Grace", email: "grace@example.com" })).status).toBe(202);
  expect(existsSync(join(data, "signalbox.db"))).toBe(true);
  // For runs that are open when the next image is deployed.
  expect(readdirSync(join(data, "builds"))).toEqual(readdirSync(join(cwd, ".signalbox/builds")));
  expect(existsSync(join(cwd, ".signalbox/secret"))).toBe(false);
  service.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(isHealthy()).toBe(false);
}

function writePackage(folder: string, contents: Record<string, unknown>): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify(contents));
}

describe("the packed product, in an empty folder", () => {
  it("is installed there by the README's commands", () => {
    expect(packing).toBe("npm ci && mkdir ../my-hooks && npm pack --pack-destination ../my-hooks");
    expect(installing).toMatch(/^cd \.\.\/my-hooks && npm /);
    expect(making).toMatch(/^npx signalbox init \. && npm install && npx signalbox dev$/);
  });

  it("creates a project that type-checks, and serves it in development with its pages", async () => {
    sh("sh", ["-c", making.replace(" && npx signalbox dev", "")]);
    expect(existsSync(join(dir, "triggers/new-signup.ts"))).toBe(true);
    writeFileSync(join(dir, "start-welcome.ts"), startWelcome);
    const types = spawnSync(
      process.execPath,
      [join(repository, "node_modules/typescript/lib/tsc.js"), "--noEmit", "-p", "."],
      { cwd: dir, encoding: "utf8" },
    );
    expect(types.stdout + types.stderr).toBe("");

    const service = await startService({ projectDir: dir, command: "dev", program: npx, env });
    const response = await postJson(`${service.url}/triggers/signup`, { name: "Ada", email: "ada@example.com" });
    expect(response.status).toBe(202);
    const { runId } = (await response.json()) as { runId: string };
    expect(await waitForRun(service, runId)).toMatchObject({ status: "completed" });
    const asked = await postJson(
      `${service.url}/triggers/github`,
      JSON.parse(readFileSync(join(dir, "requests/issue-opened.json"), "utf8")),
    );
    expect(await waitForRun(service, ((await asked.json()) as { runId: string }).runId)).toMatchObject({
      status: "completed",
      output: { area: "docs", duplicateOf: null },
    });
    expect(sh(process.execPath, ["start-welcome.ts", service.url])).toMatch(
      /^run_\w+@example\.com\nfired run_\w+@example\.com$/m,
    );
    const { page, errors, foreignRequests } = await visit(service.url);
    await page.goto(service.url);
    await page
      .getByRole("link", { name: /^Trigger / })
      .first()
      .waitFor();
    await page.goto(`${service.url}/runs`);
    await page.locator(`a[href="/runs/${runId}"]`).first().waitFor();
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it("passes every command of its CI file, and is served deployed, with a key, and with tools for coding agents on stdio and at /mcp", async () => {
    const ci = readFileSync(join(dir, ".github/workflows/signalbox.yml"), "utf8");
    const [install, build = "", test = "", backtest = "", ...others] = [...ci.matchAll(/run: (.+)$/gm)].map(
      ([, command]) => command,
    );
    // The Dockerfile below has the same command, in another folder.
    expect([install, others]).toEqual(["npm ci", []]);
    expect(readFileSync(join(dir, "README.md"), "utf8")).toContain(`${build}\n${test.replace(" --if-present", "")}\n`);
    sh("sh", ["-c", build]);
    // The first test of the project.
    expect(sh("sh", ["-c", test])).toMatch(/pass 1$/m);
    const service = await startService({ projectDir: dir, command: "start", program: npx, env });
    expect((await postJson(`${service.url}/triggers/signup`, {})).status).toBe(401);
    const url = sh("npx", ["--no-install", "signalbox", "triggers", "url", "new-signup"]).trim();
    const response = await postJson(url, { name: "Grace", email: "grace@example.com" });
    expect(response.status).toBe(202);
    const { runId } = (await response.json()) as { runId: string };
    const key = new URL(url).searchParams.get("token") ?? "";
    expect(await waitForRun(service, runId, { "x-api-key": key })).toMatchObject({ status: "completed" });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);

    const token = sh("npx", ["--no-install", "signalbox", "keys", "create", "--api", "--scope", "read"]).trim();
    const atService = { ...env, SIGNALBOX_URL: service.url, SIGNALBOX_TOKEN: token };
    const compared = spawnSync("sh", ["-c", backtest], { cwd: dir, env: atService, encoding: "utf8" });
    expect(compared, compared.stderr).toMatchObject({ status: 0 });

    const transports = [
      // As AGENTS.md of the project configures it.
      new StdioClientTransport({
        command: "npx",
        args: ["signalbox", "mcp"],
        cwd: dir,
        env: env as Record<string, string>,
        stderr: "pipe",
      }),
      new StreamableHTTPClientTransport(new URL("/mcp", service.url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    ];
    for (const transport of transports) {
      const client = new Client({ name: "packed", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
      onTestFinished(() => client.close());
      await client.connect(transport);
      const call = async (name: string, input: Record<string, unknown>) =>
        JSON.stringify((await client.callTool({ name, arguments: input })).content);
      expect(await call("list_triggers", {})).toContain("triggers/new-signup.ts");
      expect(await call("search_deliveries", { endpoint: "signup" })).toContain(runId);
      // In the documentation that the package has.
      expect(await call("search_docs", { query: "release held deliveries" })).toContain("docs/receiving.md");
    }
  });

  it("uses Postgres as its store without more packages", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.remove());
    const onPostgres = {
      ...env,
      SIGNALBOX_DATABASE_URL: cluster.url("postgres"),
      SIGNALBOX_SECRET: "a secret for this test alone",
    };
    const signalbox = (...args: string[]) =>
      execFileSync(process.execPath, ["node_modules/signalbox/bin/signalbox.cjs", ...args, "--json"], {
        cwd: dir,
        env: onPostgres,
        encoding: "utf8",
      });
    const { id } = JSON.parse(signalbox("keys", "create")) as { id: string };
    expect(JSON.parse(signalbox("keys", "list"))).toMatchObject({ data: [{ id }] });
  });

  it("is built by its Dockerfile, step by step: from the folder and its lock file alone, healthy while it serves, with its state in the volume, ended by SIGTERM", async () => {
    await expectServedImage({ context: dir, dockerfile: join(dir, "Dockerfile") });
  });

  it("a package of an npm workspace is built by its Dockerfile and by the steps of its CI workflow, both from the root", async () => {
    const root = mkdtempSync(join(tmpdir(), "signalbox-workspace-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
    const tarball = findTarball("signalbox");
    copyFileSync(join(packFolder, tarball), join(root, tarball));
    writePackage(root, { name: "company", private: true, workspaces: ["packages/*"] });
    // A package that the project imports by its TypeScript, as packages of a workspace do.
    mkdirSync(join(root, "packages/names"), { recursive: true });
    writePackage(join(root, "packages/names"), { name: "@company/names", type: "module", exports: "./index.ts" });
    writeFileSync(join(root, "packages/names/index.ts"), "export const greeting: string = 'Hello';\n");
    const project = join(root, "packages/hooks");
    mkdirSync(project);
    writePackage(project, { dependencies: { signalbox: `file:../../${tarball}`, "@company/names": "*" } });
    execFileSync(process.execPath, [join(dir, "node_modules/signalbox/bin/signalbox.cjs"), "init", project], { env });
    const workflow = join(project, "workflows/welcome-email.ts");
    writeFileSync(
      workflow,
      `import { greeting } from "@company/names";\nconsole.log(greeting);\n${readFileSync(workflow, "utf8")}`,
    );
    execFileSync("npm", ["install"], { cwd: root, env, stdio: "pipe" });
    expect(existsSync(join(project, "node_modules/signalbox"))).toBe(false);

    const ci = parse(readFileSync(join(root, ".github/workflows/signalbox.yml"), "utf8")) as {
      jobs: { check: { defaults: { run: Record<string, string> }; steps: Record<string, string>[] } };
    };
    const { defaults, steps } = ci.jobs.check;
    const commands = steps.filter(({ run, env: needsService }) => run && !needsService);
    expect(commands.map(({ run }) => run)).toEqual([
      "npm ci",
      "npx signalbox build --check-types",
      "npm test --if-present",
    ]);
    expect(commands[0]?.["working-directory"]).toBe(".");
    // The Dockerfile below has the same first command, in another folder.
    for (const { run = "" } of commands.slice(1))
      execFileSync("sh", ["-c", run], { cwd: join(root, defaults.run["working-directory"] ?? ""), env, stdio: "pipe" });
    const [, docs = ""] =
      /installed version is in `([^`]+)`/.exec(readFileSync(join(project, "AGENTS.md"), "utf8")) ?? [];
    expect(existsSync(join(project, docs, "sdk.md"))).toBe(true);
    // As docs/deploying.md writes it for systemd.
    const [, program = ""] =
      /ExecStart=\/usr\/bin\/node (\.\.\/\S+) start/.exec(
        readFileSync(join(repository, "docs/deploying.md"), "utf8"),
      ) ?? [];
    expect(existsSync(join(project, program))).toBe(true);

    await expectServedImage({ context: root, dockerfile: join(project, "Dockerfile") });
  });

  it("`create-signalbox` creates the same project in another folder", () => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    const creator = findTarball("create-signalbox");
    expect(creator).toBe(`create-signalbox-${version}.tgz`);
    const folder = mkdtempSync(join(tmpdir(), "signalbox-create-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const tarballs = [findTarball("signalbox"), creator].map((name) => join(packFolder, name));
    execFileSync("npm", ["install", "--no-save", "--prefix", folder, ...tarballs, "zod"], { env, stdio: "pipe" });
    const created = execFileSync("npx", ["--no-install", "create-signalbox", "my-hooks", "--json"], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    const { files } = JSON.parse(created) as { files: string[] };
    expect(files).toEqual(expect.arrayContaining(["package.json", "triggers/new-signup.ts", "Dockerfile"]));
    for (const file of files) expect(existsSync(join(folder, "my-hooks", file)), file).toBe(true);
  });

  it("leaves the installed package as it was", () => {
    const folder = join(dir, "node_modules/signalbox");
    expect(readdirSync(folder).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "bin",
      "dist",
      "docs",
      "drizzle",
      "examples",
      "package.json",
      "skills",
    ]);
  });

  it("prints one line with the fix on an old Node", () => {
    const old = join(dir, "old-node.cjs");
    writeFileSync(old, `Object.defineProperty(process.versions, "node", { value: "20.11.0" });`);
    const result = spawnSync(
      process.execPath,
      ["-r", old, join(dir, "node_modules/signalbox/bin/signalbox.cjs"), "--help"],
      { encoding: "utf8" },
    );
    expect(result.status).toBe(1);
    expect(result.stderr.trim().split("\n")).toHaveLength(1);
    expect(result.stderr).toContain("npm i -D node@24");
    // The launcher itself must parse on old Nodes.
    expect(readFileSync(join(repository, "bin/signalbox.cjs"), "utf8")).not.toMatch(/\?\.\w|\?\?|\basync\b|^import\b/m);
  });
});

describe("a project that uses the packed product", () => {
  testChanges(() => join(dir, "node_modules"));
});
