import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { botFramework, googlePubSub, oidc, type Verification, vonage } from "../../../../sdk/verify/index.ts";
import { createWebhookAuthenticator, generateKey, hashKey } from "../../../auth/keys/check-key.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { systemClock } from "../../../ports/clock.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { aKey } from "../../../store/testing/factories.ts";
import { serve } from "../../testing/serve.ts";

/** Senders whose `Authorization: Bearer` is a JWT of their own, beside our key in the URL. Tokens are made by `jose`. */

const seconds = () => Math.floor(Date.now() / 1000);
const secret = "a signature secret of Vonage, 50 characters at lea";
const activity = JSON.stringify({ channelId: "msteams", serviceUrl: "https://smba.trafficmanager.net/emea/" });
const googleUrl = "https://www.googleapis.com/oauth2/v3/certs";
const botUrl = "https://login.botframework.com/v1/.well-known/keys";

interface Sender {
  verify: () => Verification;
  header?: string;
  body: string;
  tolerance: number;
  claims: () => JWTPayload;
}

const google = () => ({
  iss: "https://accounts.google.com",
  aud: "orders",
  email: "push@example.iam.gserviceaccount.com",
  email_verified: true,
  iat: seconds(),
  exp: seconds() + 3600,
});

const senders: Record<string, Sender> = {
  googlePubSub: {
    verify: () => googlePubSub({ audience: "orders", serviceAccount: "push@example.iam.gserviceaccount.com" }),
    body: '{"message":{"data":"e30=","messageId":"1"}}',
    tolerance: 60,
    claims: google,
  },
  botFramework: {
    verify: () => botFramework({ appId: "11111111-2222-3333-4444-555555555555" }),
    body: activity,
    tolerance: 300,
    claims: () => ({
      iss: "https://api.botframework.com",
      aud: "11111111-2222-3333-4444-555555555555",
      serviceurl: "https://smba.trafficmanager.net/emea/",
      nbf: seconds(),
      exp: seconds() + 3600,
    }),
  },
  "oidc with another header": {
    verify: () =>
      oidc({ issuer: "https://accounts.google.com", jwksUri: googleUrl, audience: "orders", header: "X-Sender-Token" }),
    header: "x-sender-token",
    body: "{}",
    tolerance: 60,
    claims: google,
  },
};

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
const pairs: Record<"own" | "foreign" | "otherAlgorithm", Pair> = {} as never;
const state = { isDown: false, asked: [] as string[] };

beforeAll(async () => {
  for (const name of ["own", "foreign"] as const) pairs[name] = await generateKeyPair("RS256", { extractable: true });
  const privateKey = (await importJWK(await exportJWK(pairs.own.privateKey), "PS256")) as CryptoKey;
  pairs.otherAlgorithm = { ...pairs.own, privateKey };
  const key = { ...(await exportJWK(pairs.own.publicKey)), kid: "1", alg: "RS256", use: "sig" };
  const documents: Record<string, object> = {
    "https://accounts.google.com/.well-known/openid-configuration": {
      issuer: "https://accounts.google.com",
      jwks_uri: googleUrl,
    },
    [googleUrl]: { keys: [key] },
    "https://login.botframework.com/v1/.well-known/openidconfiguration": {
      issuer: "https://api.botframework.com",
      jwks_uri: botUrl,
    },
    [botUrl]: { keys: [{ ...key, endorsements: ["msteams", "webchat"] }] },
  };
  vi.stubGlobal("fetch", async (url: string | URL) => {
    state.asked.push(String(url));
    const document = documents[String(url)];
    if (state.isDown || !document) throw new Error("connect ECONNREFUSED");
    return Response.json(document);
  });
});
afterAll(() => void vi.unstubAllGlobals());
beforeEach(() => void Object.assign(state, { isDown: false, asked: [] }));

/** A deployed receiver with one endpoint. `send` resolves with the status and the stored headers. */
async function open(verify: Verification) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-keys-"));
  const keys = await openSqliteStore({ file: join(folder, "ledger.db") });
  onTestFinished(async () => {
    await keys.close();
    rmSync(folder, { recursive: true });
  });
  const key = generateKey("webhook");
  await keys.createKey(aKey({ hash: hashKey(key), endpoints: ["hook"] }));
  const { port, store, logged } = await serve({
    mode: "deployed",
    triggers: [triggerOf({ slug: "hook", request: z.looseObject({}), verify })],
    authenticate: createWebhookAuthenticator({ store: keys, mode: "deployed", clock: systemClock }),
  });
  const send = (
    headers: Record<string, string>,
    body: string,
    { path = `/triggers/hook?token=${key}`, method = "POST" } = {},
  ) =>
    new Promise<{ status: number; detail: string }>((resolve, reject) => {
      const sent = httpRequest(
        { port, path, method, headers: { "content-type": "application/json", ...headers } },
        (response) => {
          let text = "";
          response.on("data", (part) => (text += part));
          response.on("end", () => {
            const { detail = "" } = JSON.parse(text) as { detail?: string };
            resolve({ status: response.statusCode ?? 0, detail });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  return { send, store, logged, key };
}

const tokenOf = (claims: JWTPayload, pair: Pair = pairs.own, header: object = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1", typ: "JWT", ...header }).sign(pair.privateKey);

describe.each(Object.entries(senders))(
  "a token of %s",
  (name, { verify, header = "authorization", body, ...sender }) => {
    const { claims, tolerance } = sender;
    const inHeader = (token: string) => ({ [header]: header === "authorization" ? `Bearer ${token}` : token });

    it("is 500 while the keys cannot be loaded, and accepted afterwards", async () => {
      const { send } = await open(verify());
      // The pause after a failure has passed when the next test begins.
      const before = performance.now() - 60_000;
      const clock = vi.spyOn(performance, "now").mockReturnValue(before);
      onTestFinished(() => clock.mockRestore());
      state.isDown = !name.startsWith("oidc");
      const url = name === "botFramework" ? "login.botframework.com" : "accounts.google.com";
      const token = inHeader(await tokenOf(claims()));
      const down = name.startsWith("oidc")
        ? await (
            await open(oidc({ issuer: "https://down.example", audience: "orders", header: "x-sender-token" }))
          ).send(token, body)
        : await send(token, body);
      expect([down.status, down.detail]).toEqual([500, expect.stringContaining("could not be loaded")]);
      expect(state.asked[0]).toContain(name.startsWith("oidc") ? "down.example" : url);
      clock.mockRestore();
      state.isDown = false;
      expect(await send(token, body)).toMatchObject({ status: 202 });
    });

    it("is accepted beside our key in the URL, and never stored or logged", async () => {
      const { send, store, logged } = await open(verify());
      const token = await tokenOf(claims());
      expect(await send(inHeader(token), body)).toMatchObject({ status: 202 });
      expect(store.deliveries).toHaveLength(1);
      expect(JSON.stringify([store.deliveries[0]?.headers, logged])).not.toContain(token.slice(20));
      expect(store.deliveries[0]?.headers[header]).toMatch(/\[redacted\]$/);
    });

    it("never replaces our key", async () => {
      const { send, store } = await open(verify());
      const token = inHeader(await tokenOf(claims()));
      for (const path of [
        "/triggers/hook",
        "/triggers/hook?token=sbk_0123456789",
        `/triggers/hook?token=${generateKey("webhook")}`,
      ])
        expect([path, (await send(token, body, { path })).status]).toEqual([path, 401]);
      expect(store.runs).toEqual([]);
    });

    it.each<[what: string, token: () => Promise<string> | string, status: number]>([
      ["just within the tolerance", () => tokenOf({ ...claims(), exp: seconds() - tolerance + 20 }), 202],
      ["just before its time", () => tokenOf({ ...claims(), nbf: seconds() + tolerance - 20 }), 202],
      ["with our audience among others", () => tokenOf({ ...claims(), aud: ["x", String(claims().aud)] }), 202],
      ["for another audience", () => tokenOf({ ...claims(), aud: "other" }), 401],
      ["without an audience", () => tokenOf({ ...claims(), aud: undefined } as never), 401],
      ["that has expired", () => tokenOf({ ...claims(), exp: seconds() - tolerance - 20 }), 401],
      ["without an end", () => tokenOf({ ...claims(), exp: undefined } as never), 401],
      ["that is not valid yet", () => tokenOf({ ...claims(), nbf: seconds() + tolerance + 20 }), 401],
      ["of another issuer", () => tokenOf({ ...claims(), iss: "https://accounts.example.com" }), 401],
      ["of another key", () => tokenOf(claims(), pairs.foreign), 401],
      ["of an unknown key", () => tokenOf(claims(), pairs.foreign, { kid: "2" }), 401],
      ["with another algorithm of the same key", () => tokenOf(claims(), pairs.otherAlgorithm, { alg: "PS256" }), 401],
      ["that is not signed", () => new UnsecuredJWT(claims()).encode(), 401],
      [
        "signed with the public key as a secret",
        async () =>
          new SignJWT(claims())
            .setProtectedHeader({ alg: "HS256", kid: "1" })
            .sign(Buffer.from(JSON.stringify(await exportJWK(pairs.own.publicKey)))),
        401,
      ],
      ["that is cut off", async () => (await tokenOf(claims())).slice(0, -9), 401],
      ["that is too long", () => tokenOf({ ...claims(), x: "x".repeat(9000) }), 401],
      ["that is no JWT", () => "ya29.opaque", 401],
    ])("%s is answered as it should be", async (_, make, status) => {
      const { send, store } = await open(verify());
      expect(await send(inHeader(await make()), body)).toMatchObject({ status });
      expect(store.runs).toHaveLength(status === 202 ? 1 : 0);
    });
  },
);

describe("googlePubSub", () => {
  it.each([
    ["another account", { email: "other@example.com" }],
    ["an account that is not verified", { email_verified: false }],
    ["an account whose verification is no boolean", { email_verified: "true" }],
    ["no account", { email: undefined }],
  ])("rejects a token of %s", async (_, claims) => {
    const { send } = await open(senders["googlePubSub"]?.verify() ?? googlePubSub({} as never));
    const token = await tokenOf({ ...google(), ...claims } as JWTPayload);
    expect((await send({ authorization: `Bearer ${token}` }, "{}")).status).toBe(401);
  });

  it.each([[undefined], [""], [[]], [7], ["push"], [["a@b.co", "c"]]])(
    "throws for serviceAccount: %j",
    (serviceAccount) => {
      expect(() => googlePubSub({ audience: "a", serviceAccount } as never)).toThrow(
        "googlePubSub: serviceAccount must be an email address",
      );
    },
  );
});

describe("botFramework", () => {
  it.each([
    ["another serviceUrl", '{"channelId":"msteams","serviceUrl":"https://evil.example/"}', {}],
    ["no serviceUrl", '{"channelId":"msteams"}', {}],
    ["no claim serviceurl", activity, { serviceurl: undefined }],
    ["a channel that its key is not endorsed for", activity.replace("msteams", "slack"), {}],
    ["no channel", '{"serviceUrl":"https://smba.trafficmanager.net/emea/"}', {}],
    ["a body that is no object", "[]", {}],
  ])("rejects an activity with %s", async (_, body, claims) => {
    const { verify, claims: own } = senders["botFramework"] ?? {
      verify: () => botFramework({} as never),
      claims: google,
    };
    const { send } = await open(verify());
    const token = await tokenOf({ ...own(), ...claims } as JWTPayload);
    expect((await send({ authorization: `Bearer ${token}` }, body)).status).toBe(401);
  });
});

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const signHs = (given: object, { by = secret, alg = "HS256" } = {}) =>
  new SignJWT({ ...given } as JWTPayload).setProtectedHeader({ alg, typ: "JWT" }).sign(Buffer.from(by));

describe("vonage", () => {
  const body = '{"from":"447700900000","text":"Grüße"}';
  const claims = () => ({ iss: "Vonage", iat: seconds(), jti: "1", api_key: "a1b2c3d4", payload_hash: hashOf(body) });

  it("accepts a signed body, recognises its repetition, and stores no token", async () => {
    const { send, store } = await open(vonage({ secret: ["another secret of 16 bytes", secret], apiKey: "a1b2c3d4" }));
    const token = await signHs(claims());
    expect(await send({ authorization: `Bearer ${token}` }, body)).toMatchObject({ status: 202 });
    const again = await signHs({ ...claims(), jti: "2" });
    expect(await send({ authorization: `Bearer ${again}` }, body)).toMatchObject({ status: 202 });
    expect(store.runs).toHaveLength(1);
    expect(store.deliveries[0]?.headers["authorization"]).toBe("[redacted]");
  });

  it.each<[what: string, token: () => Promise<string> | string, status: number, sent?: string]>([
    ["an old token", () => signHs({ ...claims(), iat: seconds() - 320 }), 401],
    ["a token just within the tolerance", () => signHs({ ...claims(), iat: seconds() - 280 }), 202],
    ["a token of the future", () => signHs({ ...claims(), iat: seconds() + 320 }), 401],
    ["no time", () => signHs({ ...claims(), iat: undefined }), 401],
    ["an expired token", () => signHs({ ...claims(), exp: seconds() - 320 }), 401],
    ["a token that is not valid yet", () => signHs({ ...claims(), nbf: seconds() + 320 }), 401],
    ["a changed body", () => signHs(claims()), 401, `${body} `],
    ["no payload_hash", () => signHs({ ...claims(), payload_hash: undefined }), 401],
    ["the hash of another body", () => signHs({ ...claims(), payload_hash: hashOf("{}") }), 401],
    ["a hash in capital letters", () => signHs({ ...claims(), payload_hash: hashOf(body).toUpperCase() }), 202],
    ["another issuer", () => signHs({ ...claims(), iss: "Nexmo" }), 401],
    ["another API key", () => signHs({ ...claims(), api_key: "b" }), 401],
    ["another secret", () => signHs(claims(), { by: "another secret of enough bytes" }), 401],
    ["another algorithm", () => signHs(claims(), { alg: "HS512" }), 401],
    ["no signature", () => new UnsecuredJWT(claims()).encode(), 401],
    ["an RSA signature", () => tokenOf(claims()), 401],
    ["an empty signature", async () => `${(await signHs(claims())).replace(/[^.]*$/, "")}`, 401],
    ["no JWT", () => "opaque", 401],
    ["a JWT that is no JSON", () => "YQ.YQ.YQ", 401],
  ])("with %s is answered as it should be", async (_, make, status, sent = body) => {
    const { send, store } = await open(vonage({ secret, apiKey: "a1b2c3d4" }));
    expect(await send({ authorization: `Bearer ${await make()}` }, sent)).toMatchObject({ status });
    expect(store.runs).toHaveLength(status === 202 ? 1 : 0);
  });

  it("signs as Vonage does, for `triggers send --sign` and tests", async () => {
    const verify = vonage({ secret, apiKey: "a1b2c3d4" });
    const { send } = await open(verify);
    const signed = verify.sign({
      body: Buffer.from(body),
      receivedAtMs: Date.now(),
      method: "POST",
      url: null,
      header: () => null,
      headers: () => [],
      multipart: () => [],
    });
    expect(await send(signed ?? {}, body)).toMatchObject({ status: 202 });
  });

  it("never replaces our key", async () => {
    const { send } = await open(vonage({ secret }));
    const authorization = `Bearer ${await signHs(claims())}`;
    expect((await send({ authorization }, body, { path: "/triggers/hook" })).status).toBe(401);
  });
});
