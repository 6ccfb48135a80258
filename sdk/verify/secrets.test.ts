import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineWebhookSource } from "../trigger/define-webhook-source.ts";
import { z } from "zod";
import * as schemes from "./index.ts";
import { custom, github, hmac, standardWebhooks, stripe, type Verification } from "./index.ts";
import { instant, requestOf } from "./testing/senders.ts";

const secret = "0123456789abcdef";
/** As plain JavaScript calls them. */
const plain = {
  github: github as (options: unknown) => unknown,
  hmac: hmac as (options: unknown) => unknown,
  stripe: stripe as (options: unknown) => unknown,
};

const request = (signature: string | null) =>
  requestOf(signature === null ? {} : { "x-hub-signature-256": signature }, Buffer.from("{}"), 0);

const accept = (): boolean => true;

describe("a secret", () => {
  it.each([
    ["one that is not set", undefined, { kind: "missing", words: "is not set" }],
    ["an empty one", "", { kind: "missing", words: "is empty" }],
    ["a list of none", [undefined, ""], { kind: "missing", words: "is not set: the list is empty" }],
    ["a short one", "hunter2", { kind: "unusable", words: "has 7 bytes, but needs at least 16" }],
    [
      "a short one beside a good one",
      [secret, "hunter2"],
      { kind: "unusable", words: "has 7 bytes, but needs at least 16" },
    ],
    [
      "one with the line break of its file",
      `${secret}\n`,
      { kind: "unusable", words: "ends with a line break", fix: "Remove the line break" },
    ],
    ["a good one", secret, null],
  ])("%s is reported, not thrown: builds run without secrets", (_, given, problem) => {
    expect(github({ secret: given }).secretProblem).toEqual(problem);
  });

  it("of Standard Webhooks is base64, with padding or without", () => {
    expect(standardWebhooks({ secret: "whsec_not base64!" }).secretProblem).toEqual({
      kind: "unusable",
      words: "is not base64, which this scheme requires (often after whsec_)",
    });
    for (const good of [
      "whsec_AAECAwQFBgcICQoLDA0ODxAR",
      "v1,whsec_AAECAwQFBgcICQoLDA0ODxAR",
      "AAECAwQFBgcICQoLDA0ODxAREg==",
      "AAECAwQFBgcICQoLDA0ODxAREg",
    ])
      expect(standardWebhooks({ secret: good }).secretProblem).toBeNull();
  });

  it("that is not set rejects every request: a signed one with the fix, an unsigned one as usual", () => {
    const verification = instant(github)({ secret: undefined });
    expect(verification.check(request(`sha256=${"0".repeat(64)}`))).toEqual({
      kind: "no_secret",
      detail:
        "The signature cannot be checked (github): its secret is not set. Set the secret in the server's environment and restart the server.",
    });
    expect(verification.check(request(null))?.kind).toBe("unsigned");
  });

  it("that is no string throws a TypeError", () => {
    expect(() => plain.github({ secret: 7 })).toThrow(
      new TypeError(
        "github: secret must be a string or a list of strings, but is of type number. Write secret: process.env.GITHUB_SECRET.",
      ),
    );
    expect(() => plain.stripe(undefined)).toThrow(
      "stripe needs an object, but got nothing. Write stripe({ secret: process.env.STRIPE_SECRET }).",
    );
  });
});

/** Each function of signalbox/verify with a value in the option that has its secret. */
const bySecret: Record<string, (given: string) => Verification> = {
  custom: (given) => custom({ name: "acme", secret: given, check: accept }),
  botFramework: (given) => schemes.botFramework({ appId: given }),
  discord: (given) => schemes.discord({ publicKey: given }),
  github: (given) => github({ secret: given }),
  googlePubSub: (given) => schemes.googlePubSub({ audience: given, serviceAccount: "push@example.com" }),
  gitlab: (given) => schemes.gitlab({ secret: given }),
  hmac: (given) => hmac({ secret: given, header: "x-s" }),
  hubspot: (given) => schemes.hubspot({ secret: given }),
  linkedin: (given) => schemes.linkedin({ secret: given }),
  linear: (given) => schemes.linear({ secret: given }),
  mailgun: (given) => schemes.mailgun({ secret: given }),
  meta: (given) => schemes.meta({ secret: given, verifyToken: secret }),
  "meta's verifyToken": (given) => schemes.meta({ secret, verifyToken: given }),
  microsoftGraph: (given) => schemes.microsoftGraph({ secret: given }),
  oidc: (given) => schemes.oidc({ issuer: "https://accounts.google.com", audience: given }),
  sendgrid: (given) => schemes.sendgrid({ publicKey: given }),
  shopify: (given) => schemes.shopify({ secret: given }),
  slack: (given) => schemes.slack({ secret: given }),
  sns: (given) => schemes.sns({ topicArn: given }),
  square: (given) => schemes.square({ secret: given }),
  standardWebhooks: (given) => standardWebhooks({ secret: given }),
  stripe: (given) => stripe({ secret: given }),
  svix: (given) => schemes.svix({ secret: given }),
  twilio: (given) => schemes.twilio({ secret: given }),
  twitter: (given) => schemes.twitter({ secret: given }),
  vonage: (given) => schemes.vonage({ secret: given }),
  xero: (given) => schemes.xero({ secret: given }),
  zoom: (given) => schemes.zoom({ secret: given }),
};

describe("what copying added around a secret", () => {
  const tested = Object.keys(bySecret).map((name) => name.replace(/'.*/, ""));

  it("is tested for every function", () => {
    expect([...new Set(tested)].sort()).toEqual(Object.keys(schemes).sort());
  });

  it.each(Object.entries(bySecret))("is an error of %s that says what it is, and contains no secret", (_, verify) => {
    const spaces = fc.constantFrom(..." \t\u00a0\u2003\u200b\u200d\u2060\ufeff\u00ad\u001b");
    const slips = fc.oneof(
      fc.tuple(spaces, fc.constantFrom("", " ")),
      fc.tuple(fc.constant(""), spaces),
      fc.constantFrom(["", "\n"], ["", "\r\n"], ["\n", ""]),
      fc.constantFrom(['"', '"'], ["'", "'"], ["`", "`"], ["“", "”"], ["„", "“"], ["‘", "’"], ["«", "»"]),
    );
    fc.assert(
      fc.property(slips, fc.constantFrom(secret, "whsec_AAECAwQFBgcICQoLDA0ODxAR"), ([before, after], inner) => {
        const problem = verify(`${before}${inner}${after}`).secretProblem;
        expect(problem).toMatchObject({
          kind: "unusable",
          words: expect.stringMatching(
            /^(ends with a line break|is in quotes|starts or ends with a space or an invisible character)$/,
          ),
          fix: expect.stringMatching(/^(Remove|Copy) /),
        });
        expect(JSON.stringify(problem)).not.toContain(inner);
      }),
      { numRuns: 60 },
    );
  });

  it("is none of the characters that a secret may have", () => {
    for (const good of [
      "It's a Secret to Everybody",
      '"half a quote in front',
      "half a quote behind'",
      'quotes "in the middle"!',
      "spaces and\ttabs inside",
      "p\u00e4sswort mit Umlauten",
      "\u{1f511} a key and another \u{1f511}",
      "ends with a backslash\\",
    ])
      expect(github({ secret: good }).secretProblem).toBeNull();
  });

  it("is named in the rejection of a signed request", () => {
    expect(instant(github)({ secret: `"${secret}"` }).check(request(`sha256=${"0".repeat(64)}`))?.detail).toBe(
      "The signature cannot be checked (github): its secret is in quotes. Remove the quotes in the server's environment and restart the server.",
    );
  });
});

describe("two verifications", () => {
  it("have the same fingerprint if and only if they accept the same requests", () => {
    expect(custom({ name: "acme", check: accept }).fingerprint()).toBe(
      custom({ name: "acme", check: accept }).fingerprint(),
    );
    const same = [
      stripe({ secret }),
      stripe({ secret: [secret] }),
      stripe({ secret, tolerance: "5m" }),
      stripe({ secret: [undefined, secret] }),
    ];
    expect(new Set(same.map(({ fingerprint }) => fingerprint())).size).toBe(1);
    const others = [
      ...same.slice(0, 1),
      stripe({ secret: `${secret}0` }),
      stripe({ secret, tolerance: "6m" }),
      github({ secret }),
      github({ secret: undefined }),
      hmac({ secret, header: "x-a" }),
      hmac({ secret, header: "x-b" }),
      hmac({ secret, header: "x-b", signedContent: "{method}{body}" }),
      hmac({ secret, header: "x-b", signedContent: "{url}{body}" }),
      hmac({ secret, header: "x-b", signedContent: "{url}{body}", url: "https://hooks.example.com" }),
      custom({ name: "acme", check: accept }),
      custom({ name: "acme", check: accept, secret }),
      custom({ name: "acme", check: accept, header: "x-s" }),
      custom({ name: "acme", check: () => true }),
      custom({ name: "acme", check: () => true }),
      custom({ name: "acme-2", check: accept }),
    ];
    expect(new Set(others.map(({ fingerprint }) => fingerprint())).size).toBe(others.length);
  });
});

describe("invalid options", () => {
  it.each([
    [{ secret }, 'hmac: header must be a string, but is missing. Write header: "x-signature".'],
    [{ secret, header: "x signature" }, 'hmac: header must be a header name, but is "x signature".'],
    [
      { secret, header: "x-s", algorithm: "md5" },
      'hmac: algorithm must be "sha256" or "sha1" or "sha512", but is "md5".',
    ],
    [
      { secret, header: "x-s", encoding: "base32" },
      'hmac: encoding must be "hex" or "base64" or "base64url", but is "base32".',
    ],
    [
      { secret, header: "x-s", secretEncoding: "utf8" },
      'hmac: secretEncoding must be "text" or "base64" or "hex", but is "utf8".',
    ],
    [{ secret, header: [] }, 'hmac: header must be a string, but is missing. Write header: "x-signature".'],
    [
      { secret, header: "x-s", timestamp: { header: "x-t", prefix: 1 } },
      'hmac: timestamp.prefix must be a string, but is 1. Write timestamp.prefix: "t=", or leave it out.',
    ],
    [{ secret, header: "x-s", prefix: 1 }, "hmac: prefix must be a string, but is 1."],
    [
      { secret, header: "x-s", signedContent: "{query}{body}" },
      "hmac: signedContent contains the unknown placeholder {query}. Use {body}, {timestamp}, {method}, {url} or {header:<name>}. For a header of this name, write {header:query}.",
    ],
    [
      { secret, header: "x-s", signedContent: "{url}{body}", url: "hooks.example.com" },
      "hmac: url must be the URL in the sender's settings, which begins with https://.",
    ],
    [
      { secret, header: "x-s", url: "https://hooks.example.com/" },
      "hmac: url is set, but signedContent does not contain {url}. Add {url}, or leave out url.",
    ],
    [
      { secret, header: "x-s", signedContent: "{id}.{body}" },
      "hmac: signedContent contains the unknown placeholder {id}. Use {body}, {timestamp}, {method}, {url} or {header:<name>}. For a header of this name, write {header:id}.",
    ],
    [
      { secret, header: "x-s", signedContent: "{header:}.{body}" },
      'hmac: signedContent must be a header name, but is ""',
    ],
    [
      { secret, header: "x-s", signedContent: "{a b}.{body}" },
      "hmac: signedContent contains the unknown placeholder {a b}. Use {body}, {timestamp}, {method}, {url} or {header:<name>}.",
    ],
    [{ secret, header: "x-s", signedContent: "{timestamp}" }, "hmac: signedContent must contain {body}."],
    [
      { secret, header: "x-s", signedContent: "{timestamp}.{body}" },
      "hmac: signedContent contains {timestamp}, but the option timestamp is missing",
    ],
    [
      { secret, header: "x-s", timestamp: { header: "x-t" }, signedContent: "{body}" },
      "an unsigned time gives no protection",
    ],
    [
      { secret, header: "x-s", timestamp: { header: "x-t", unit: "min" } },
      'hmac: timestamp.unit must be "s" or "ms", but is "min".',
    ],
    [
      { secret, header: "x-s", timestamp: { header: "x-t", tolerance: "2d" } },
      'hmac: tolerance must be a duration from "1s" to "24h", but is "2d".',
    ],
  ])("%j throw a TypeError that says how to fix them", (options, message) => {
    expect(() => plain.hmac(options)).toThrow(TypeError);
    expect(() => plain.hmac(options)).toThrow(message);
  });

  it("a tolerance is a duration, up to a day", () => {
    expect(() => plain.stripe({ secret, tolerance: "ten minutes" })).toThrow(
      'stripe: tolerance must be a duration from "1s" to "24h", but is "ten minutes". Write tolerance: "5m", or leave it out.',
    );
    expect(() => plain.stripe({ secret, tolerance: 0 })).toThrow("but is 0");
  });

  it.each([
    [undefined, 'custom needs an object, but got nothing. Write custom({ name: "acme", check }).'],
    [{ check: accept }, 'custom: name must have the form of a slug, but is undefined. Write name: "acme".'],
    [{ name: "Acme Inc", check: accept }, 'but is "Acme Inc"'],
    [{ name: "acme" }, 'custom({ name: "acme" }): check must be a function, but is missing.'],
    [{ name: "acme", check: accept, header: "x y" }, 'custom: header must be a header name, but is "x y".'],
    [{ name: "acme", check: accept, signedHeaders: "x-id" }, "custom: signedHeaders must be a list"],
    [{ name: "acme", check: accept, secret: 7 }, "custom: secret must be a string or a list of strings"],
  ])("custom(%j) throws a TypeError that says how to fix it", (options, message) => {
    const plainCustom = custom as (options: unknown) => unknown;
    expect(() => plainCustom(options)).toThrow(TypeError);
    expect(() => plainCustom(options)).toThrow(message);
  });

  it("verify accepts only verifications made by signalbox/verify", () => {
    const define = defineWebhookSource as (options: unknown) => unknown;
    const source = { slug: "a", endpoint: "a", request: z.object({}) };
    expect(() => define({ ...source, verify: () => true })).toThrow(
      'defineWebhookSource({ slug: "a" }): verify must be made by a function of signalbox/verify, but is a function. Write verify: github({ secret: process.env.GITHUB_SECRET }).',
    );
    expect(() => define({ ...source, dedupe: "x-id" })).toThrow(
      'defineWebhookSource({ slug: "a" }): dedupe needs an object, but got "x-id". Write dedupe: { field: "/id" }.',
    );
  });
});
