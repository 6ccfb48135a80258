import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { getJson, postJson, waitForRun } from "./support/api.ts";
import type { OnCleanup } from "../scripts/cleanups.ts";
import { copyStarter } from "./support/project.ts";
import { generateKey } from "../server/auth/keys/check-key.ts";
import { signalbox, startService, withSharedService } from "./support/service.ts";

const signup = { name: "Ada", email: "ada@example.com" };

const cli = (projectDir: string, ...args: string[]) =>
  signalbox([...args, "--project", projectDir], { cwd: projectDir });

function buildStarter(onCleanup?: OnCleanup): string {
  const projectDir = copyStarter(onCleanup);
  const built = cli(projectDir, "build");
  expect(built.status, built.stderr).toBe(0);
  return projectDir;
}

/** The URL that a sender is given, and the key in it. */
function senderUrl(projectDir: string): { url: string; key: string } {
  const url = cli(projectDir, "triggers", "url", "new-signup").stdout.trim();
  return { url, key: new URL(url).searchParams.get("token") ?? "" };
}

/** As Kubernetes sets them in the containers of a namespace that has a Service named `signalbox`. */
const injected = {
  SIGNALBOX_PORT: "tcp://10.96.0.12:80",
  SIGNALBOX_PORT_80_TCP: "tcp://10.96.0.12:80",
  SIGNALBOX_PORT_80_TCP_ADDR: "10.96.0.12",
  SIGNALBOX_PORT_80_TCP_PORT: "80",
  SIGNALBOX_PORT_80_TCP_PROTO: "tcp",
  SIGNALBOX_SERVICE_HOST: "10.96.0.12",
  SIGNALBOX_SERVICE_PORT: "80",
  SIGNALBOX_SERVICE_PORT_HTTP: "80",
};

let projectDir = "";
const it = withSharedService((onCleanup) => ({
  projectDir: (projectDir = buildStarter(onCleanup)),
  command: "start",
  env: injected,
}));

describe("signalbox start", () => {
  it("starts beside a Kubernetes Service named signalbox, and logs once which variables it ignores", async ({
    service,
  }) => {
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("SIGNALBOX_"));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "info", variables: Object.keys(injected), msg: "ignored variables that Kubernetes set for a Service" },
    ]);
  });

  it("fails without a build, and names the command", () => {
    const projectDir = copyStarter();
    const started = signalbox(["start", "--project", projectDir, "--port", "0"], { cwd: projectDir });
    expect(started.status).toBe(1);
    expect(started.stderr).toContain("signalbox build");
    expect(started.stderr).not.toMatch(/^\s+at /m);
  });

  it("accepts the key in each of its five forms, and in no other", async ({ service }) => {
    const { url, key } = senderUrl(projectDir);
    expect(url).toBe(`${service.url}/triggers/signup?token=${key}`);
    const post = (path: string, headers: Record<string, string> = {}) => postJson(service.url + path, signup, headers);
    const forms: [string, Record<string, string>][] = [
      [`/triggers/signup?token=${key}`, {}],
      [`/triggers/signup?api_key=${key}`, {}],
      ["/triggers/signup", { authorization: `Bearer ${key}` }],
      ["/triggers/signup", { "x-api-key": key }],
      ["/triggers/signup", { authorization: `Basic ${btoa(`hook:${key}`)}` }],
      ["/triggers/signup", { authorization: `Basic ${btoa(`anyone:${key}`)}` }],
      [`/triggers/signup?token=${key}`, { authorization: "Bearer of-the-sender" }],
      [`/triggers/signup?token=${key}`, { authorization: `Basic ${btoa("proxy:of-the-proxy")}` }],
    ];
    for (const [path, headers] of forms) expect((await post(path, headers)).status).toBe(202);
    const rejected: [string, Record<string, string>][] = [
      ["/triggers/signup", {}],
      ["/triggers/no-such-endpoint", {}],
      [`/triggers/signup?token=${key}x`, {}],
      [`/triggers/signup?token=${key}`, { "x-api-key": "sbk_wrong" }],
      ["/triggers/signup?token=of-the-sender", { authorization: "Bearer of-the-sender" }],
      ["/triggers/signup", { authorization: `Basic ${key}` }],
      ["/triggers/signup", { authorization: `Basic ${btoa("proxy:of-the-proxy")}` }],
      [`/triggers/signup?token=${key}`, { authorization: `Basic ${btoa("proxy:sbk_wrong")}` }],
    ];
    for (const [path, headers] of rejected) {
      const response = await post(path, headers);
      expect(response.status, path).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Bearer, Basic realm="webhooks"');
      expect(response.headers.get("signalbox-delivery")).toBeNull();
      expect(await response.text()).not.toContain(key);
    }
  });

  it("lets a webhook key read only the runs that it started, and an API token read everything", async ({ service }) => {
    const { url, key } = senderUrl(projectDir);
    const { runId } = (await (await postJson(url, signup)).json()) as { runId: string };
    const withKey = { authorization: `Bearer ${key}` };
    const run = await waitForRun(service, runId, withKey);
    expect(run).toMatchObject({ status: "completed" });
    for (const path of ["/api/v1/deliveries", "/api/v1/triggers", "/api/v1/keys"]) {
      expect((await fetch(service.url + path, { headers: withKey })).status, path).toBe(403);
      expect((await fetch(service.url + path)).status, path).toBe(401);
    }
    const { secret: token } = JSON.parse(
      cli(projectDir, "keys", "create", "--api", "--scope", "admin", "--name", "ci", "--json").stdout,
    ) as { secret: string };
    const deliveries = await getJson<{ data: { id: string }[] }>(`${service.url}/api/v1/deliveries`, {
      authorization: `Bearer ${token}`,
    });
    expect(deliveries.data.map(({ id }) => id)).toContain(run.deliveryId);
    const remote = signalbox(["triggers", "list", "--json"], {
      cwd: "/",
      env: { SIGNALBOX_URL: service.url, SIGNALBOX_TOKEN: token },
    });
    expect(remote.status, remote.stderr).toBe(0);
    expect(remote.stdout).toContain("new-signup");
  });

  it("with a store whose keys were never used, tells senders to try again: it may not be the one that has theirs", async () => {
    const projectDir = buildStarter();
    const service = await startService({ projectDir, command: "start" });
    const send = (headers: Record<string, string>) => postJson(`${service.url}/triggers/signup`, signup, headers);
    const unknown = { "x-api-key": generateKey("webhook") };
    const early = await send(unknown);
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await early.json()).toMatchObject({ code: "new_store" });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: "Bearer token-of-the-sender" })).status).toBe(401);
    const { key } = senderUrl(projectDir);
    expect((await send({ "x-api-key": key })).status).toBe(202);
    expect((await send(unknown)).status).toBe(401);
    expect(service.output()).toContain("none of the keys in this store was ever used");
    expect(await service.stop()).toBe(0);
  });

  it("rejects a revoked key at once, without a restart", async ({ service }) => {
    const { id, secret: key } = JSON.parse(
      cli(projectDir, "keys", "create", "--name", "short-lived", "--json").stdout,
    ) as { id: string; secret: string };
    const send = () => postJson(`${service.url}/triggers/signup`, signup, { "x-api-key": key });
    expect((await send()).status).toBe(202);
    expect(cli(projectDir, "keys", "revoke", id).status).toBe(0);
    expect((await send()).status).toBe(401);
  });

  it("accepts the new key of a rotation at once, and the old key during the overlap", async ({ service }) => {
    const { key: first } = senderUrl(projectDir);
    const { data } = JSON.parse(cli(projectDir, "keys", "list", "--json").stdout) as {
      data: { id: string; hint: string }[];
    };
    const id = data.find(({ hint }) => first.startsWith(hint.slice(0, -1)))?.id ?? "";
    const second = cli(projectDir, "keys", "rotate", id, "--overlap", "1h").stdout.trim();
    const statuses = () =>
      Promise.all(
        [first, second].map(
          async (key) => (await postJson(`${service.url}/triggers/signup`, signup, { "x-api-key": key })).status,
        ),
      );
    expect(await statuses()).toEqual([202, 202]);
    expect(cli(projectDir, "triggers", "url", "new-signup").stdout).toContain(`?token=${second}`);
    expect(cli(projectDir, "keys", "revoke", id).status).toBe(0);
    expect(await statuses()).toEqual([401, 202]);
  });

  it("never writes a key, a cookie or an authorization header to disk or log", async () => {
    const projectDir = buildStarter();
    const service = await startService({ projectDir, command: "start", env: { SIGNALBOX_LOG_LEVEL: "debug" } });
    const { url, key } = senderUrl(projectDir);
    const secrets = ["canary-cookie-5f1d", "canary-bearer-9c2e", "canary-wrong-key-77aa"];
    await postJson(url, signup, { cookie: `session=${secrets[0]}` });
    await postJson(url, signup, { authorization: `Bearer ${secrets[1]}` });
    await postJson(`${service.url}/triggers/signup?token=${secrets[2]}`, signup);
    await postJson(`${url}&note=1`, { name: 1 });
    await fetch(`${service.url}/triggers/nope?token=${key}`, { method: "PUT" });
    expect(await service.stop()).toBe(0);
    expect(service.output()).toMatch(/"endpoint":"signup","outcome":"accepted","status":202/);
    const written = filesBelow(join(projectDir, ".signalbox")).map((file) => readFileSync(file).toString("latin1"));
    const everything = [...written, service.output()].join("\n");
    expect(everything).toContain("ada@example.com");
    for (const secret of [...secrets, key]) expect(everything.includes(secret), secret.slice(0, 12)).toBe(false);
  });

  it("ends on SIGTERM despite an open event stream, after it has answered the requests in flight", async () => {
    const projectDir = buildStarter();
    const service = await startService({ projectDir, command: "start" });
    const { url, key } = senderUrl(projectDir);
    const { runId } = (await (await postJson(url, signup)).json()) as { runId: string };
    const stream = await fetch(`${service.url}/api/v1/runs/${runId}/events`, { headers: { "x-api-key": key } });
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(await service.stop()).toBe(0);
    await stream.text().catch(() => "");
  });

  it("names the invalid setting in one line", async ({ service }) => {
    const bad = signalbox(["start", "--project", projectDir], { cwd: projectDir, env: { SIGNALBOX_WORKERS: "many" } });
    expect(bad.status).toBe(1);
    expect(bad.stderr.trim().split("\n")).toHaveLength(1);
    expect(bad.stderr).toContain("SIGNALBOX_WORKERS must be a whole number");
    // The one that runs is not disturbed.
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });
});

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}
