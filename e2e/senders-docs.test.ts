import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { expect, it } from "vitest";
import { senders } from "../sdk/verify/testing/senders.ts";
import { waitForRun } from "./support/api.ts";
import { copyStarter, repository, writeFiles } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const page = readFileSync(join(repository, "docs/senders.md"), "utf8");
const files = Object.fromEntries(
  [...page.matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)].map(([, path = "", text = ""]) => [path, text]),
);
/** A secret for each variable of the page. */
const secrets = Object.fromEntries(
  [...page.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name = ""]) => [name, `${name} of at least sixteen bytes`]),
);

interface Exchange {
  start: string;
  headers: Record<string, string>;
  body: string;
}

function exchangesOf(text: string): { request: Exchange; response: Exchange }[] {
  const blocks = [...text.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, block = ""]) => parse(block));
  return blocks.flatMap((request, at) => {
    const response = blocks[at + 1];
    return at % 2 === 0 && response ? [{ request, response }] : [];
  });
}

function parse(block: string): Exchange {
  const [head = "", ...body] = block.split("\n\n");
  const [start = "", ...lines] = head.split("\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { start, headers: Object.fromEntries(headers), body: body.join("\n\n") };
}

/** The issuers of ID tokens, which a test cannot reach: the service loads their keys from here. */
async function makeIssuers() {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const key = { ...(await exportJWK(publicKey)), kid: "1", endorsements: ["msteams"] };
  const google = "https://accounts.google.com";
  const bots = "https://login.botframework.com/v1/.well-known";
  const documents = {
    [`${google}/.well-known/openid-configuration`]: { issuer: google, jwks_uri: `${google}/keys` },
    [`${google}/keys`]: { keys: [key] },
    [`${bots}/openidconfiguration`]: { issuer: "https://api.botframework.com", jwks_uri: `${bots}/keys` },
    [`${bots}/keys`]: { keys: [key] },
  };
  const preload = `const documents = ${JSON.stringify(documents)};
const { fetch } = globalThis;
globalThis.fetch = async (url, options) => (documents[url] ? Response.json(documents[url]) : fetch(url, options));`;
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(privateKey);
  return { nodeOptions: `--import=data:text/javascript,${encodeURIComponent(preload)}`, sign };
}

const issuers = await makeIssuers();

/** The token of each sender that sends one, by the path of its endpoint. */
const tokens: Record<string, (body: string) => Promise<string>> = {
  "/triggers/pubsub/orders": () =>
    issuers.sign({
      iss: "https://accounts.google.com",
      aud: secrets["PUBSUB_AUDIENCE"] ?? "",
      email: "push@my-project.iam.gserviceaccount.com",
      email_verified: true,
    }),
  "/triggers/teams": () =>
    issuers.sign({
      iss: "https://api.botframework.com",
      aud: secrets["MICROSOFT_APP_ID"] ?? "",
      serviceurl: "https://smba.trafficmanager.net/emea/",
    }),
  "/triggers/vonage/messages": (body) =>
    new SignJWT({ iss: "Vonage", payload_hash: createHash("sha256").update(body).digest("hex") })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuedAt()
      .sign(Buffer.from(secrets["VONAGE_SIGNATURE_SECRET"] ?? "")),
};

const digest = (algorithm: string, name: string, content: string, encoding: "hex" | "base64") =>
  createHmac(algorithm, secrets[name] ?? "")
    .update(content)
    .digest(encoding);

/** Signs with the code of the sender, or as its documentation says. */
const signers: Record<string, (p: { body: string; url: string }) => Record<string, string>> = {
  "x-twilio-signature": ({ body, url }) => {
    const fields = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1)).map((pair) => pair.join(""));
    return { "x-twilio-signature": digest("sha1", "TWILIO_AUTH_TOKEN", url + fields.join(""), "base64") };
  },
  "linear-signature": ({ body }) => ({ "linear-signature": digest("sha256", "LINEAR_WEBHOOK_SECRET", body, "hex") }),
  "x-crm-signature": ({ body }) => {
    const time = Math.floor(Date.now() / 1000);
    return {
      "x-crm-time": `${time}`,
      "x-crm-signature": `sha256=${digest("sha256", "CRM_WEBHOOK_SECRET", `${time}.${body}`, "hex")}`,
    };
  },
};

const ownSigners: Record<string, { sender: string; secret: string }> = {
  "x-hub-signature-256": { sender: "github", secret: "GITHUB_WEBHOOK_SECRET" },
  "stripe-signature": { sender: "stripe", secret: "STRIPE_WEBHOOK_SECRET" },
  "x-slack-signature": { sender: "slack", secret: "SLACK_SIGNING_SECRET" },
  "x-twitter-webhooks-signature": { sender: "twitter", secret: "X_CONSUMER_SECRET" },
  "x-shopify-hmac-sha256": { sender: "shopify", secret: "SHOPIFY_CLIENT_SECRET" },
};

async function sign({ headers }: Exchange, p: { body: string; url: string }): Promise<Record<string, string>> {
  const token = tokens[new URL(p.url).pathname];
  if (token) return { authorization: `Bearer ${await token(p.body)}` };
  for (const name of Object.keys(headers)) {
    const signed = signers[name]?.(p);
    if (signed) return signed;
    const own = ownSigners[name];
    const sender = senders.find((one) => one.name === own?.sender);
    if (own && sender)
      return sender.sign({ body: Buffer.from(p.body), at: Date.now(), secret: secrets[own.secret] ?? "" });
  }
  throw new Error(`No signature is known in ${Object.keys(headers).join(", ")}`);
}

const hideIds = (text: string) => text.replaceAll(/\brun_[0-9A-Z]{26}/g, "run_…");

/** The HMAC in the answer to the check of X, as its documentation says. */
function hideHmac(text: string, url: string): string {
  const token = new URL(url).searchParams.get("crc_token");
  return token === null ? text : text.replace(digest("sha256", "X_CONSUMER_SECRET", token, "base64"), "…");
}

it("every request in docs/senders.md, signed as its sender does, gets the response below it from a deployed service, and its runs complete; changed by one byte, with the token of another sender, or without its key if it is a GET, it is rejected", async () => {
  const exchanges = exchangesOf(page);
  expect(exchanges.length).toBeGreaterThanOrEqual(10);
  const projectDir = copyStarter();
  writeFiles(projectDir, files);
  const cli = (...args: string[]) =>
    signalbox([...args, "--project", projectDir], { cwd: projectDir, env: { ...process.env, ...secrets } });
  const built = cli("build");
  expect([built.status, built.stderr]).toEqual([0, ""]);
  const service = await startService({
    projectDir,
    command: "start",
    env: { ...secrets, NODE_OPTIONS: issuers.nodeOptions },
  });
  const { search } = new URL(cli("triggers", "url", "github-issue").stdout.trim());
  const { secret: token } = JSON.parse(
    cli("keys", "create", "--api", "--scope", "admin", "--name", "test", "--json").stdout,
  ) as {
    secret: string;
  };

  const runIds = new Map<string, string>();
  for (const { request, response } of exchanges) {
    const [method = "", path = ""] = request.start.split(" ");
    const url = `${service.url}${path}${path.includes("?") ? search.replace("?", "&") : search}`;
    const isGet = method === "GET";
    const body = request.body.replace("…", `${Date.now()}`);
    const headers = { ...request.headers, ...(isGet ? {} : await sign(request, { body, url })) };
    const foreign = { authorization: `Bearer ${await issuers.sign({ iss: "https://example.com", aud: "other" })}` };
    const isToken = tokens[path] !== undefined;
    const changed = isGet
      ? await fetch(`${service.url}${path}`)
      : await fetch(url, { method, headers: { ...headers, ...(isToken && foreign) }, body: `${body} ` });
    expect([path, changed.status]).toEqual([path, 401]);

    const answer = await fetch(url, { method, headers, ...(!isGet && { body }) });
    expect(`HTTP/1.1 ${answer.status} ${answer.statusText}`, path).toBe(response.start);
    const isJson = response.headers["content-type"] === "application/json";
    const read = (text: string): unknown => (isJson ? JSON.parse(text) : text);
    expect(read(hideHmac(hideIds(await answer.text()), url))).toStrictEqual(read(response.body));
    expect(answer.headers.get("content-type")?.split(";")[0] ?? "").toBe(response.headers["content-type"] ?? "");
    const delivery = await fetch(`${service.url}/api/v1/deliveries/${answer.headers.get("signalbox-delivery")}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { verdicts } = (await delivery.json()) as { verdicts: { trigger: string; runId: string | null }[] };
    for (const { trigger, runId } of verdicts) if (runId !== null) runIds.set(trigger, runId);
  }

  const slugs = [...page.matchAll(/slug: "([a-z-]+)"/g)]
    .map(([, slug = ""]) => slug)
    .filter((one) => one !== "note-event");
  expect([...runIds.keys()].sort()).toEqual(slugs.sort());
  for (const [slug, runId] of runIds) {
    const run = await waitForRun(service, runId, { authorization: `Bearer ${token}` });
    expect([slug, run.status, run.error]).toEqual([slug, "completed", null]);
    expect(Object.values(run.input as object), slug).not.toContain("unknown");
  }
});
