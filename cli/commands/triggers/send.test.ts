import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { BodyFormat, Methods } from "../../../server/contract/project/endpoint.ts";
import type { ProjectSources } from "../../../server/ports/project.ts";
import { loadSources } from "../../../server/project/project-reader.ts";
import { buildProject } from "../../build/build-project.ts";
import { makeProject, makeProjectUntil } from "../../build/testing/make-project.ts";
import { fakeRun, fakeTrigger, runFakeCli } from "../testing/fake-host.ts";

interface Received {
  request: IncomingMessage;
  body: Buffer;
}

/** Sends a webhook to SIGNALBOX_URL. */
async function send(
  args: string[],
  options: { endpoint?: string; formats?: BodyFormat[]; methods?: Methods | undefined; projectDir?: string } = {},
) {
  const { endpoint = "signup", formats = fakeTrigger.body as BodyFormat[], methods = ["POST"], projectDir } = options;
  const project = projectDir === undefined ? [] : ["--project", projectDir];
  return runFakeCli(["triggers", "send", endpoint, ...args, ...project], {
    routes: {
      "GET /url": () => ({ endpoint, url: `http://127.0.0.1:3002/triggers/${endpoint}?token=sbk_1`, keyId: null }),
      "GET /triggers": () => ({ data: [{ ...fakeTrigger, endpoint, body: formats, methods }] }),
    },
  });
}

/** A server that receives webhooks, and the command that sends one there. */
async function openReceiver(
  answer: { status: number; body: unknown } = { status: 200, body: { ok: true, skipped: true } },
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    received.push({ request, body: Buffer.concat(parts) });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  }).listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => void server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("SIGNALBOX_URL", url);
  return { url, received, send };
}

afterEach(() => vi.unstubAllEnvs());

describe("the body of triggers send", () => {
  const json: BodyFormat = { type: "json", bigints: "number" };
  const form: BodyFormat = { type: "form", field: null, bigints: "number" };

  it.each<[string, BodyFormat[], string[], string, string]>([
    ["JSON as it is", [json], ["--data", '{ "a": 1.0 }'], "application/json", '{ "a": 1.0 }'],
    [
      "an object as a form",
      [form],
      ["--data", '{"a": "x y", "b": [1, 2]}'],
      "application/x-www-form-urlencoded",
      "a=x+y&b=1&b=2",
    ],
    ["a form as it is", [form], ["--data", "a=x%20y"], "application/x-www-form-urlencoded", "a=x%20y"],
    [
      "JSON in the field of a form",
      [{ type: "form", field: "payload", bigints: "number" }],
      ["--data", '{"a":1}'],
      "application/x-www-form-urlencoded",
      "payload=%7B%22a%22%3A1%7D",
    ],
    ["text", [{ type: "text" }], ["--data", "hello"], "text/plain", "hello"],
    ["text that looks like JSON", [{ type: "text" }], ["--data", '{"a":1}'], "text/plain", '{"a":1}'],
    ["bytes", [{ type: "bytes" }], ["--data", "\u0000x"], "application/octet-stream", "\u0000x"],
    ["JSON, if the endpoint accepts it as well", [form, json], ["--data", '{"a":1}'], "application/json", '{"a":1}'],
    [
      "a form, if the endpoint accepts it as well",
      [json, form],
      ["--data", "a=1"],
      "application/x-www-form-urlencoded",
      "a=1",
    ],
    [
      "bytes with the content type that is given",
      [form],
      ["--data", '{"a":1}', "--header", "Content-Type: application/json; charset=utf-8"],
      "application/json; charset=utf-8",
      '{"a":1}',
    ],
  ])("is sent as the endpoint accepts it: %s", async (_, formats, args, contentType, body) => {
    const { received, send } = await openReceiver();
    expect((await send(args, { formats })).exitCode).toBe(0);
    expect(received.map(({ request, body: bytes }) => [request.headers["content-type"], String(bytes)])).toEqual([
      [contentType, body],
    ]);
  });

  it("is a multipart body of the fields of an object; anything else is wrong usage", async () => {
    const { received, send } = await openReceiver();
    const formats: BodyFormat[] = [{ type: "multipart" }];
    expect((await send(["--data", '{"a":"1"}'], { formats })).exitCode).toBe(0);
    expect(received[0]?.request.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(String(received[0]?.body)).toContain('name="a"\r\n\r\n1\r\n');
    const wrong = await send(["--data", "a=1"], { formats });
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--data is not a JSON object") });
  });
});

describe("the method and the query of triggers send", () => {
  it.each<[string, { args: string[]; methods?: Methods }, string, string]>([
    ["a POST with a query", { args: ["--data", "{}", "--query", "?a=1&a=2"] }, "POST", "&a=1&a=2"],
    ["an object", { args: ["--data", '{"a": "x y", "b": ["1", "2"]}', "--method", "get"] }, "GET", "&a=x+y&b=1&b=2"],
    ["a query as it is", { args: ["--data", "a=x%20y&a"], methods: ["GET"] }, "GET", "&a=x%20y&a"],
    ["both", { args: ["--data", "a=1", "--query", "b=2"], methods: ["GET", "POST"] }, "GET", "&b=2&a=1"],
    ["no data", { args: ["--data", ""], methods: ["GET"] }, "GET", ""],
  ])("%s is sent as the endpoint accepts it", async (_, { args, methods }, method, query) => {
    const { received, send } = await openReceiver();
    expect(await send(args, { methods })).toMatchObject({ exitCode: 0 });
    expect(received.map(({ request }) => [request.method, request.url])).toEqual([
      [method, `/triggers/signup?token=sbk_1${query}`],
    ]);
    expect(received[0]?.request.headers["content-type"] === undefined).toBe(method === "GET");
  });

  it("a body that cannot be a query is wrong usage, and so is another method", async () => {
    const { received, send } = await openReceiver();
    for (const data of ["[1]", '"text"', "7", "a b", "ä=1", "a#b"])
      expect(await send(["--data", data, "--method", "GET"])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("The body of a GET is its query"),
      });
    expect(await send(["--data", "{}", "--method", "PUT"])).toMatchObject({ exitCode: 2 });
    expect(received).toEqual([]);
  });
});

const trigger = (endpoint: string, verify: string | null) => `import { defineWebhookSource } from "signalbox/trigger";
import * as verify from "signalbox/verify";
import { z } from "zod";
import work from "../workflows/work";
const { custom, discord, github, gitlab, hmac, hubspot, linear, linkedin, meta, shopify, slack, square, standardWebhooks, stripe, svix, twilio, twitter, xero, zoom } = verify;
const secret = process.env.SENDER_SECRET;
const base64 = process.env.BASE64_SECRET;
export default defineWebhookSource({ slug: ${JSON.stringify(endpoint)}, endpoint: ${JSON.stringify(endpoint)}, request: z.unknown(), ${verify === null ? "" : `verify: ${verify},`} }).attach({ workflow: work });
`;

describe("--sign", () => {
  const schemes: Record<string, { verify: string; header: string; body?: string }> = {
    github: { verify: "github({ secret })", header: "x-hub-signature-256" },
    stripe: { verify: "stripe({ secret })", header: "stripe-signature" },
    slack: { verify: "slack({ secret })", header: "x-slack-signature" },
    shopify: { verify: "shopify({ secret })", header: "x-shopify-hmac-sha256" },
    meta: { verify: "meta({ secret, verifyToken: 'a token of sixteen characters' })", header: "x-hub-signature-256" },
    twitter: { verify: "twitter({ secret })", header: "x-twitter-webhooks-signature" },
    linkedin: { verify: "linkedin({ secret })", header: "x-li-signature" },
    xero: { verify: "xero({ secret })", header: "x-xero-signature" },
    zoom: { verify: "zoom({ secret })", header: "x-zm-signature" },
    "standard-webhooks": { verify: "standardWebhooks({ secret: base64 })", header: "webhook-signature" },
    svix: { verify: "svix({ secret: base64 })", header: "svix-signature" },
    gitlab: { verify: "gitlab({ secret })", header: "x-gitlab-token" },
    hmac: { verify: "hmac({ secret, header: 'x-crm', timestamp: { header: 'x-at' } })", header: "x-crm" },
    url: { verify: "hmac({ secret, header: 'x-url', signedContent: '{method} {url} {body}' })", header: "x-url" },
    square: { verify: "square({ secret })", header: "x-square-hmacsha256-signature" },
    hubspot: { verify: "hubspot({ secret })", header: "x-hubspot-signature-v3" },
    twilio: { verify: "twilio({ secret })", header: "x-twilio-signature" },
  };
  const shared = `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "work", input: z.unknown(), async run() {} });\n`;
  let projectDir = "";

  beforeAll(async () => {
    const only: Record<string, string | null> = {
      open: null,
      discord: "discord({ publicKey: 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90' })",
      keyed: "github({ secret: process.env.UNSET_SECRET })",
    };
    projectDir = makeProjectUntil(afterAll, {
      "workflows/work.ts": shared,
      ...Object.fromEntries(
        Object.entries(schemes).map(([name, { verify }]) => [`triggers/${name}.ts`, trigger(name, verify)]),
      ),
      ...Object.fromEntries(
        Object.entries(only).map(([name, verify]) => [`triggers/${name}.ts`, trigger(name, verify)]),
      ),
    });
    vi.stubEnv("SENDER_SECRET", "0123456789abcdef0123456789abcdef");
    vi.stubEnv("BASE64_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const built = await buildProject({ projectDir });
    if (!built.ok) throw new Error(built.diagnostics.map(({ title }) => title).join("\n"));
    // Its module is evaluated once in this process, with the secrets.
    sources = await loadSources(join(projectDir, ".signalbox"), built.manifest);
    vi.unstubAllEnvs();
  });
  let sources: ProjectSources;

  it.each(Object.entries(schemes))(
    "signs as %s does: the service accepts the signature",
    async (endpoint, { header }) => {
      const { url, received, send } = await openReceiver();
      // Twilio signs the fields of a form.
      const formats: BodyFormat[] =
        endpoint === "twilio"
          ? [{ type: "form", field: null, bigints: "number" }]
          : [{ type: "json", bigints: "number" }];
      const sent = await send(["--data", '{"a": "b"}', "--sign"], { endpoint, projectDir, formats });
      expect(sent.stderr).toBe("");
      const [{ request, body } = { request: null, body: Buffer.alloc(0) }] = received;
      const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
      expect(headers.map(([name]) => name)).toContain(header);
      const fault = await sources.byEndpoint.get(endpoint)?.[0]?.verify?.check({
        body,
        receivedAtMs: Date.parse("2026-11-21T10:00:00Z"),
        method: "POST",
        url: url + (request?.url ?? ""),
        header: (name) => new Map(headers).get(name) ?? null,
        headers: () => headers,
        multipart: () => [],
      });
      expect(fault).toBeNull();
    },
  );

  it.each([
    ["open", 2, "does not verify signatures, so there is nothing to sign."],
    ["discord", 1, "The request cannot be signed as discord does."],
    ["keyed", 1, "triggers/keyed.ts › verify › github: its secret"],
    ["other", 1, 'has no endpoint "other"'],
  ])("at the endpoint %s fails with exit code %i, and sends nothing", async (endpoint, exitCode, message) => {
    const { received, send } = await openReceiver();
    const sent = await send(["--data", "{}", "--sign"], { endpoint, projectDir });
    expect(sent).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
    expect(received).toEqual([]);
  });

  it("names the variable of a secret that is not set", async () => {
    const { send } = await openReceiver();
    const { stderr } = await send(["--data", "{}", "--sign"], { endpoint: "keyed", projectDir });
    expect(stderr).toContain("Set UNSET_SECRET in the environment of this command, or in .env.");
  });

  it("needs a build of the project", async () => {
    const { send } = await openReceiver();
    const sent = await send(["--data", "{}", "--sign"], { projectDir: makeProject({ "package.json": "{}" }) });
    expect(sent).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Run `signalbox build`") });
  });

  it.each([
    [[], "Add `--sign`", "Compare the secret"],
    [["--sign"], "Compare the secret", "Add `--sign`"],
  ])("is the fix of a rejected signature, unless it was given: %j", async (options, fix, otherFix) => {
    const { send } = await openReceiver({
      status: 401,
      body: {
        type: "/errors/invalid_signature",
        title: "",
        status: 401,
        code: "invalid_signature",
        detail: "The header x-hub-signature-256 is missing.",
      },
    });
    const { stderr } = await send(["--data", "{}", ...options], { endpoint: "github", projectDir });
    expect(stderr).toContain(fix);
    expect(stderr).not.toContain(otherFix);
  });
});

it("a delivery that only wakes runs names them", async () => {
  const body = { ok: true, runId: fakeRun.id, runs: [], woke: [{ runId: fakeRun.id }] };
  const { send } = await openReceiver({ status: 202, body });
  const woken = await send(["--data", "{}"]);
  expect(woken.stdout).toMatch(/^202 accepted /);
  expect(woken.stdout).toContain(`${fakeRun.id}  waited for it`);
  expect(woken.stdout).not.toContain("No run was started");
});

it("a response that is an error is called by its status and its problem", async () => {
  const problem = {
    type: "/errors/invalid_signature",
    title: "",
    status: 401,
    code: "invalid_signature",
    detail: "No signature.",
  };
  const { send } = await openReceiver({ status: 401, body: problem });
  const { exitCode, stderr } = await send(["--data", "{}"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("401: No signature.");
});
