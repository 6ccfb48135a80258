import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { requestOf } from "./testing/senders.ts";
import { oidc, type OidcOptions } from "./oidc.ts";

const audience = "https://hooks.example.com/triggers/pubsub";
const now = Date.now();
const seconds = Math.floor(now / 1000);

/** A key pair of the issuer. */
async function makeKey(kid: string, alg = "RS256") {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

type SigningKey = Awaited<ReturnType<typeof makeKey>>;

/** A real issuer on this machine, whose keys and behaviour can be changed. */
async function startIssuer(...keys: SigningKey[]) {
  const state = { keys, requests: [] as string[], respond: null as null | (() => [status: number, body: string]) };
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? "");
    const document =
      request.url === "/keys" ? { keys: state.keys.map(({ jwk }) => jwk) } : { issuer, jwks_uri: `${issuer}/keys` };
    const [status, body] = state.respond?.() ?? [200, JSON.stringify(document)];
    response.writeHead(status, { "content-type": "application/json", location: "/keys" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenBy = (key: SigningKey, claims: JWTPayload = {}) =>
    new SignJWT({
      iss: issuer,
      aud: audience,
      exp: seconds + 3600,
      iat: seconds,
      sub: "1024",
      email: "push@example.iam.gserviceaccount.com",
      email_verified: true,
      ...claims,
    })
      .setProtectedHeader({ alg: key.alg, kid: key.kid })
      .sign(key.privateKey);
  const check = (authorization: string | null, options: Partial<OidcOptions> = {}) =>
    oidc({ issuer, audience, ...options }).check(
      requestOf(authorization === null ? {} : { authorization }, Buffer.from("{}"), now),
    );
  return { state, issuer, tokenBy, check };
}

describe("oidc", () => {
  it("accepts a token of the issuer for this audience, and loads the keys once", async () => {
    const key = await makeKey("1");
    const { check, tokenBy, state } = await startIssuer(key);
    const token = await tokenBy(key);
    expect(await Promise.all(Array.from({ length: 50 }, () => check(`Bearer ${token}`)))).toEqual(
      Array.from({ length: 50 }, () => null),
    );
    for (const value of [`bearer ${token}`, `Bearer sbk_0123, Bearer ${token}`, `Basic aG9vazp4, Bearer ${token}`])
      expect(await check(value)).toBeNull();
    expect(await check(`Bearer ${token}`, { audience: ["another", audience] })).toBeNull();
    expect(
      await check(`Bearer ${token}`, { email: "push@example.iam.gserviceaccount.com", subject: ["1024"] }),
    ).toBeNull();
    expect(state.requests).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it.each<[what: string, kind: string, claims: JWTPayload, options: Partial<OidcOptions>]>([
    ["for another audience", "mismatch", { aud: "https://elsewhere.example" }, {}],
    ["of another issuer", "mismatch", { iss: "https://accounts.google.com" }, {}],
    ["that has expired", "expired", { exp: seconds - 61 }, {}],
    ["that is not valid yet", "mismatch", { nbf: seconds + 61 }, {}],
    ["of another account", "mismatch", {}, { email: "other@example.com" }],
    [
      "of an account whose email is not verified",
      "mismatch",
      { email_verified: false },
      { email: "push@example.iam.gserviceaccount.com" },
    ],
    ["of another subject", "mismatch", {}, { subject: "7" }],
  ])("rejects a token %s", async (_, kind, claims, options) => {
    const key = await makeKey("1");
    const { check, tokenBy } = await startIssuer(key);
    const token = await tokenBy(key, claims);
    const fault = await check(`Bearer ${token}`, options);
    expect(fault?.kind).toBe(kind);
    expect(fault?.detail).not.toContain(token);
    expect(await check(`Bearer ${await tokenBy(key)}`)).toBeNull();
  });

  it("rejects a token without an end, of another key, of no key, and one that is changed", async () => {
    const [key, other] = [await makeKey("1"), await makeKey("1")];
    const { check, tokenBy, issuer } = await startIssuer(key);
    const endless = await new SignJWT({ iss: issuer, aud: audience })
      .setProtectedHeader({ alg: "RS256", kid: "1" })
      .sign(key.privateKey);
    const token = await tokenBy(key);
    const [head = "", payload = "", signature = ""] = token.split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const hmac = await new SignJWT({ iss: issuer, aud: audience, exp: seconds + 60 })
      .setProtectedHeader({ alg: "HS256", kid: "1" })
      .sign(Buffer.from(JSON.stringify(key.jwk)));
    for (const [kind, bad] of [
      ["mismatch", endless],
      ["mismatch", await tokenBy(other)],
      ["mismatch", await tokenBy({ ...other, kid: "2" })],
      ["mismatch", hmac],
      ["mismatch", `${head}.${payload}.${signature.slice(0, -6)}AAAAAA`],
      ["mismatch", `${none}.${payload}.AAAA`],
      ["malformed", "AAAA.AAAA.AAAA"],
      ["malformed", `${head}.${payload}.${"A".repeat(9000)}`],
      ["malformed", `${token}, Bearer ${token}`],
    ])
      expect((await check(`Bearer ${bad}`))?.kind, bad).toBe(kind);
    for (const absent of [null, "", "Bearer sbk_key", `Basic ${token}`, "Bearer a.b"])
      expect((await check(absent))?.kind).toBe("unsigned");
  });

  it.each([
    [null, "The ID token in authorization is missing."],
    ["", "The ID token in authorization is missing."],
    [" ", "The ID token in authorization is missing."],
    ["Bearer garbage", "The value of authorization is not an ID token."],
    ["Bearer a.b", "The value of authorization is not an ID token."],
    ["Bearer", "The value of authorization is not an ID token."],
    ["garbage", "The value of authorization is not an ID token."],
    ["Basic aG9vazp4, Bearer x", "The value of authorization is not an ID token."],
  ])("distinguishes a missing token from a value that is none: %j", async (authorization, words) => {
    const { check } = await startIssuer();
    const fault = await check(authorization);
    expect(fault).toEqual({
      kind: "unsigned",
      detail: `${words} This endpoint accepts only signed requests (oidc).`,
    });
  });

  it("finds a rotated key after the pause of 30 seconds, and keeps the old one while the issuer has it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    onTestFinished(() => void vi.useRealTimers());
    const [old, next] = [await makeKey("1"), await makeKey("2", "ES256")];
    const { check, tokenBy, state } = await startIssuer(old);
    const [byOld, byNext] = [await tokenBy(old), await tokenBy(next)];
    expect(await check(`Bearer ${byOld}`)).toBeNull();
    state.keys = [old, next];
    // A flood of tokens with an unknown key is no flood of requests to the issuer.
    for (let n = 0; n < 20; n++) expect((await check(`Bearer ${byNext}`))?.kind).toBe("mismatch");
    expect(state.requests).toHaveLength(2);
    vi.setSystemTime(now + 31_000);
    expect(await check(`Bearer ${byNext}`)).toBeNull();
    expect(await check(`Bearer ${byOld}`)).toBeNull();
    expect(state.requests).toHaveLength(3);
    state.keys = [next];
    vi.setSystemTime(now + 31_000 + 11 * 60_000);
    expect((await check(`Bearer ${byOld}`))?.kind).toBe("mismatch");
  });

  it.each<[what: string, respond: () => [number, string]]>([
    ["an error", () => [503, "busy"]],
    ["no JSON", () => [200, "<html>"]],
    ["another document", () => [200, "{}"]],
    ["a redirection", () => [302, ""]],
    ["a document without an end", () => [200, `"${"x".repeat(300_000)}"`]],
  ])(
    "is a failure of the check if the issuer answers with %s: the sender sends the event again",
    async (_, respond) => {
      const key = await makeKey("1");
      const { check, tokenBy, state } = await startIssuer(key);
      state.respond = respond;
      const token = await tokenBy(key);
      const faults = await Promise.all(Array.from({ length: 20 }, () => check(`Bearer ${token}`)));
      expect(new Set(faults.map((one) => one?.kind))).toEqual(new Set(["failed"]));
      expect((await check(`Bearer ${token}`))?.kind).toBe("failed");
      expect(state.requests.length).toBe(1);
      // Afterwards it works again.
      const later = performance.now() + 6_000;
      const clock = vi.spyOn(performance, "now").mockReturnValue(later);
      onTestFinished(() => clock.mockRestore());
      state.respond = null;
      expect(await check(`Bearer ${token}`)).toBeNull();
    },
  );

  it("uses jwksUri without a discovery, and reports an issuer that cannot be reached", async () => {
    const key = await makeKey("1", "EdDSA");
    const { check, tokenBy, state, issuer } = await startIssuer(key);
    const token = await tokenBy(key);
    expect(await check(`Bearer ${token}`, { jwksUri: `${issuer}/keys` })).toBeNull();
    expect(state.requests).toEqual(["/keys"]);
    expect((await check(`Bearer ${token}`, { jwksUri: "http://127.0.0.1:1/keys" }))?.kind).toBe("failed");
    const secure = `${issuer.replace("http:", "https:")}/keys`;
    expect((await check(`Bearer ${token}`, { jwksUri: secure }))?.detail).toMatch(
      /could not be loaded \(oidc\): the TLS connection failed \([A-Z_]+\)$/,
    );
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect((await check(`Bearer ${token}`, { jwksUri: `http://127.0.0.1:${port}/keys` }))?.detail).toBe(
      "The public keys of the issuer could not be loaded (oidc): the connection was refused (ECONNREFUSED)",
    );
  });

  it("has no header that identifies an event, and never starts without its audience", () => {
    const verification = oidc({ issuer: "https://accounts.google.com", audience: undefined });
    expect(verification).toMatchObject({ scheme: "oidc", signedHeaders: null, isTimed: true });
    expect(verification.secretProblem).toEqual({ kind: "missing", words: "is not set", subject: "audience" });
    expect(oidc({ issuer: "https://accounts.google.com", audience: "a" }).secretProblem).toBeNull();
  });

  it.each([
    [{ issuer: "http://accounts.google.com" }, "oidc: issuer must be a URL that begins with https://"],
    [{ issuer: "accounts.google.com" }, "oidc: issuer must be a URL"],
    [{ issuer: "https://user:password@example.com" }, "oidc: issuer must be a URL"],
    [{ jwksUri: "http://169.254.169.254/keys" }, "oidc: jwksUri must be a URL"],
    [{ email: [] }, "oidc: email must be a string or a list of strings."],
    [{ subject: 7 }, "oidc: subject must be a string or a list of strings."],
    [{ tolerance: "2d" }, "oidc: tolerance must be a duration"],
  ])("%j throws a TypeError that says how to fix it", (options, message) => {
    const create = oidc as (given: unknown) => unknown;
    expect(() => create({ issuer: "https://accounts.google.com", audience, ...options })).toThrow(message);
  });
});
