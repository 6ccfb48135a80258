import { request } from "node:http";
import { readFileSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { restRoutes } from "../../server/http/rest/rest-app.ts";
import { appRouter } from "../../server/trpc/router.ts";
import { freePort } from "../../scripts/free-port.ts";
import { repository } from "../support/project.ts";
import { signalbox, startService } from "../support/service.ts";
import { inTerminal } from "../support/terminal.ts";
import { type HostileService, startHostileService, withHostileService } from "./hostile-service.ts";

type Headers = Record<string, string>;
interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

const json = { "content-type": "application/json" };
const ada = '{"name":"Ada"}';
/** The command in the README of new projects. */
const readme = readFileSync(join(repository, "examples/starter/README.md"), "utf8");
const [, publicHost = ""] = /^SIGNALBOX_BASE_URL=https:\/\/(\S+) npx signalbox dev /m.exec(readme) ?? [];

const closedRoutes = restRoutes.filter(({ operation }) => operation.access !== "open");
/** Routes that are also public in a deployed service. */
const openPages = ["/sign-in", "/icon.svg", "/errors/not_found"];
const pages = ["/", "/runs", "/deliveries", "/deliveries/dlv_1", "/settings/keys", "/?endpoint=signup"];

/**
 * Every way in which a request comes that was not made on this machine, as a tunnel's agent, which runs on it, passes
 * it on.
 */
const foreign: Record<string, Headers> = {
  "under the name of the base URL": { host: publicHost },
  "under another name": { host: "c3d4.ngrok.app" },
  "under an IP address of this machine": { host: "192.168.1.5" },
  "under a rewritten name, with the sender's address": { host: "localhost", "x-forwarded-for": "203.0.113.5" },
  "under a rewritten name, by cloudflared": { host: "localhost", "cf-connecting-ip": "203.0.113.5" },
  "under a rewritten name, by a proxy": { host: "127.0.0.1", via: "1.1 proxy" },
};

const signed = `import { defineWebhookSource } from "signalbox/trigger";
import { hmac } from "signalbox/verify";
import { z } from "zod";
import note from "../workflows/note";
export default defineWebhookSource({ slug: "signed", endpoint: "signed", request: z.any(), verify: hmac({ secret: process.env.SIGNED_SECRET, header: "x-signature" }) }).attach({ workflow: note });
`;

/** The response says why. */
const needsKey = "In development, requests of this machine need no key, but this one ";

const it = withHostileService({
  command: "dev",
  port: await freePort(),
  files: { "triggers/signed.ts": signed },
  env: { SIGNALBOX_BASE_URL: `https://${publicHost}` },
});

describe("development behind a tunnel", () => {
  it("rejects every route, procedure, page, stream and webhook without a key or a token", async ({
    hostile: service,
  }) => {
    const { ask } = steer(service);
    const runsBefore = await countRuns(service);
    for (const [how, headers] of Object.entries(foreign)) {
      for (const { method, path } of closedRoutes) {
        const answer = await ask({
          method,
          path: path.replaceAll(/\{\w+\}/g, "unknown"),
          headers: { ...headers, ...json },
          body: method === "POST" ? "{}" : "",
        });
        expect(answer.status, `${method} ${path} ${how}`).toBe(401);
        expect(answer.text, `${method} ${path} ${how}`).toContain(needsKey);
      }
      for (const path of Object.keys(appRouter._def.procedures)) {
        const posted = await ask({
          method: "POST",
          path: `/api/trpc/${path}`,
          headers: { ...headers, ...json },
          body: "{}",
        });
        const read = await ask({
          method: "GET",
          path: `/api/trpc/${path}`,
          headers: { ...headers, accept: "text/event-stream" },
        });
        for (const answer of [posted, read])
          expect(isClosed(answer), `${path} ${how}: ${answer.status} ${answer.text}`).toBe(true);
      }
      for (const path of pages) {
        const page = await ask({ method: "GET", path, headers });
        expect([page.status, String(page.headers["location"]).startsWith("/sign-in")], `${path} ${how}`).toEqual([
          303,
          true,
        ]);
        expect(
          (await ask({ method: "POST", path, headers: { ...headers, "next-action": "x" }, body: "[]" })).status,
          `POST ${path} ${how}`,
        ).toBe(405);
      }
      for (const path of openPages)
        expect((await ask({ method: "GET", path, headers })).status, `${path} ${how}`).toBe(200);
      for (const endpoint of ["signup", "anything", "nowhere"]) {
        const sent = { method: "POST", path: `/triggers/${endpoint}`, headers: { ...headers, ...json }, body: ada };
        const answer = await ask(sent);
        expect(answer.status, `${endpoint} ${how}`).toBe(401);
        expect(answer.text, `${endpoint} ${how}`).toContain(needsKey);
      }
    }
    expect(service.output()).toContain("requests of this machine need no key in development, but this one does");
    expect(await countRuns(service)).toBe(runsBefore);
    const local = await ask({
      method: "POST",
      path: "/triggers/signup",
      headers: { host: `localhost:${service.port}`, ...json },
      body: ada,
    });
    expect(local.status).toBe(202);
  });

  it("accepts webhooks with the key that `triggers url` prints, and API and page requests with a token", async ({
    hostile: service,
  }) => {
    const { ask, run } = steer(service);
    const url = new URL(run(["triggers", "url", "signup"]).trim());
    expect([url.host, url.pathname]).toEqual([publicHost, "/triggers/signup"]);
    expect(
      (
        await ask({
          method: "POST",
          path: url.pathname + url.search,
          headers: { host: publicHost, ...json },
          body: ada,
        })
      ).status,
    ).toBe(202);
    expect(
      (
        await ask({
          method: "POST",
          path: `${url.pathname}?token=sbk_wrong`,
          headers: { host: publicHost, ...json },
          body: ada,
        })
      ).status,
    ).toBe(401);

    const { secret } = JSON.parse(run(["keys", "create", "--api", "--scope", "admin", "--name", "me", "--json"])) as {
      secret: string;
    };
    const bearer = { host: publicHost, authorization: `Bearer ${secret}` };
    expect((await ask({ method: "GET", path: "/api/v1/runs", headers: bearer })).status).toBe(200);
    // There is no terminal here, so `dev` printed no token, but the command that creates one.
    expect(service.output()).not.toMatch(/sbt_\w{20}/);
    expect(service.output()).toContain("signalbox keys create --api");

    const form = {
      host: publicHost,
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
      origin: `https://${publicHost}`,
    };
    const signedIn = await ask({
      method: "POST",
      path: "/api/auth/token",
      headers: form,
      body: `token=${secret}&next=/runs`,
    });
    expect([signedIn.status, signedIn.headers["location"]]).toEqual([303, "/runs"]);
    const [cookie = ""] = String(signedIn.headers["set-cookie"]).split(";");
    const page = await ask({ method: "GET", path: "/runs", headers: { host: publicHost, cookie } });
    expect(page.status).toBe(200);
    expect(page.text).toContain("Sign out");
    expect(page.text).toContain("signup");
    // Without the cookie, the page has no data: the renderer checks access again.
    expect((await ask({ method: "GET", path: "/sign-in", headers: { host: publicHost } })).text).not.toContain(
      "Sign out",
    );
    const other = { host: publicHost, cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site", ...json };
    expect(
      (await ask({ method: "POST", path: "/api/trpc/triggers.disable", headers: other, body: '{"slug":"signup"}' }))
        .status,
    ).toBe(403);
  });

  it("shows a token at a terminal, reuses it at the next start, and creates another after it is revoked", async () => {
    const { service, ask, run } = await start({ program: inTerminal });
    const token = await printedToken(service);
    expect(
      (
        await ask({
          method: "GET",
          path: "/api/v1/keys",
          headers: { host: publicHost, authorization: `Bearer ${token}` },
        })
      ).status,
    ).toBe(200);
    const file = join(service.projectDir, ".signalbox/dev-token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { id } = JSON.parse(readFileSync(file, "utf8")) as { id: string };
    await service.stop();

    const again = {
      projectDir: service.projectDir,
      command: "dev" as const,
      program: inTerminal,
      env: { SIGNALBOX_BASE_URL: `https://${publicHost}` },
    };
    const second = await startService(again);
    expect(await printedToken(second)).toBe(token);
    run(["keys", "revoke", id]);
    await second.stop();
    expect(await printedToken(await startService(again))).not.toBe(token);
  });

  it("requires signatures of requests from elsewhere, but not of local requests", async ({ hostile: service }) => {
    const { ask, run } = steer(service);
    const runsBefore = await countRuns(service);
    const { search } = new URL(run(["triggers", "url", "signed"]).trim());
    const unsigned = { method: "POST", path: `/triggers/signed${search}`, body: ada };
    expect((await ask({ ...unsigned, headers: { host: publicHost, ...json } })).status).toBe(401);
    // Its secret is not set: no signature can be good.
    expect(
      (await ask({ ...unsigned, headers: { host: publicHost, ...json, "x-signature": "00".repeat(32) } })).status,
    ).toBe(401);
    expect(await countRuns(service)).toBe(runsBefore);
    expect(
      (await ask({ ...unsigned, path: "/triggers/signed", headers: { host: `127.0.0.1:${service.port}`, ...json } }))
        .status,
    ).toBe(202);
  });
});

describe("development on every address of this machine", () => {
  it("rejects requests from elsewhere without a key, for any host name", async () => {
    const { service, ask } = await start({ env: { SIGNALBOX_HOST: "0.0.0.0" } });
    const address = Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
    if (address === undefined) throw new Error("This machine has no address but its loopback");
    for (const host of [`${address}:${service.port}`, `localhost:${service.port}`, "127.0.0.1"]) {
      for (const path of ["/api/v1/runs", "/api/v1/keys", "/metrics"])
        expect((await ask({ address, method: "GET", path, headers: { host } })).status, `${path} as ${host}`).toBe(401);
      expect(
        (
          await ask({
            address,
            method: "POST",
            path: "/api/v1/keys",
            headers: { host, ...json },
            body: '{"kind":"api","name":"x"}',
          })
        ).status,
      ).toBe(401);
      expect((await ask({ address, method: "GET", path: "/", headers: { host } })).status).toBe(303);
      expect(
        (await ask({ address, method: "POST", path: "/triggers/signup", headers: { host, ...json }, body: ada }))
          .status,
      ).toBe(401);
    }
    expect(
      (await ask({ method: "GET", path: "/api/v1/runs", headers: { host: `localhost:${service.port}` } })).status,
    ).toBe(200);
  });
});

function printedToken(service: { output(): string }): Promise<string> {
  return vi.waitFor(() => {
    const [token] = /sbt_\w+/.exec(service.output()) ?? [];
    if (token === undefined) throw new Error(`No token:\n${service.output()}`);
    return token;
  });
}

async function start(p: { env?: NodeJS.ProcessEnv; program?: string[] }) {
  const service = await startHostileService({
    command: "dev",
    port: await freePort(),
    env: { SIGNALBOX_BASE_URL: `https://${publicHost}` },
    ...p,
  });
  return { service, ...steer(service) };
}

/** Requests to the service, and commands beside it. */
function steer({ port, projectDir }: HostileService) {
  const run = (args: string[]) => {
    const { status, stdout, stderr } = signalbox([...args, "--project", projectDir], {
      cwd: projectDir,
      env: { SIGNALBOX_BASE_URL: `https://${publicHost}` },
    });
    if (status !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  };
  return { run, ask: (question: Omit<Parameters<typeof send>[0], "port">) => send({ port, ...question }) };
}

/** A stream of tRPC is always 200; its first event, once it is connected, is the error. */
function isClosed({ status, text }: Answer): boolean {
  const events = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name).filter((name) => name !== "connected");
  return (
    status === 401 ||
    status === 405 ||
    (status === 200 && events.join() === "serialized-error" && text.includes('"code":"unauthorized"'))
  );
}

async function countRuns({ port }: HostileService): Promise<number> {
  const { text } = await send({ port, method: "GET", path: "/api/v1/runs?limit=100", headers: { host: "localhost" } });
  return (JSON.parse(text) as { data: unknown[] }).data.length;
}

function send(p: {
  port: number;
  address?: string;
  method: string;
  path: string;
  headers: Headers;
  body?: string;
}): Promise<Answer> {
  const { port, method, path, address = "127.0.0.1", body = "" } = p;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: address,
        method,
        path,
        agent: false,
        headers: {
          ...p.headers,
          connection: "close",
          ...(body !== "" && { "content-length": Buffer.byteLength(body) }),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          // A stream stays open behind its first event.
          if (
            String(response.headers["content-type"]).includes("event-stream") &&
            /^event: (?!connected).*\ndata: .*\n/m.test(text)
          )
            response.destroy();
        });
        response.on("close", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on("error", () => {});
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
