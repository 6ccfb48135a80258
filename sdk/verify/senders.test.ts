import { createHmac } from "node:crypto";
import { verify as verifyByOctokit } from "@octokit/webhooks-methods";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Secret, instant, linearSender, now, requestOf, senders, textSecret } from "./testing/senders.ts";
import * as schemes from "./index.ts";

const github = instant(schemes.github);
const hmac = instant(schemes.hmac);
const linear = instant(schemes.linear);
const slack = instant(schemes.slack);
const standardWebhooks = instant(schemes.standardWebhooks);
const stripe = instant(schemes.stripe);
const svix = instant(schemes.svix);

const minute = 60_000;
const sample = Buffer.from('{"type":"issue.opened","title":"Größe 😀","n":1}');
/** The senders' libraries take texts only. */
const bodies = fc
  .string({ unit: "binary", minLength: 1, maxLength: 200 })
  .map((text) => Buffer.from(text.toWellFormed()));

describe("the signed content of hmac", () => {
  it.each([
    ["a header, by its name with a hyphen", "{x-id}.{body}", "7.{}"],
    ["a header of any name", "{header:id}.{header:X-Id}.{body}", "9.7.{}"],
    [
      "the URL that the sender has in its settings, as a text",
      "https://hooks.example.com/triggers/shop?token=sbk_1{body}",
      "https://hooks.example.com/triggers/shop?token=sbk_1{}",
    ],
  ])("may hold %s", (_, signedContent, signed) => {
    const verification = hmac({ secret: textSecret, header: "x-signature", signedContent });
    const headers = {
      id: "9",
      "x-id": "7",
      "x-signature": createHmac("sha256", textSecret).update(signed).digest("hex"),
    };
    expect(verification.check(requestOf(headers, Buffer.from("{}")))).toBeNull();
    expect(verification.check(requestOf(headers, Buffer.from("{ }")))?.kind).toBe("mismatch");
  });
});

const signUrl = (method: string, signedUrl: string) => ({
  "x-signature": createHmac("sha256", textSecret).update(`${method}\n${signedUrl}\n{}`).digest("hex"),
});

describe("a signature that covers the URL and the method", () => {
  const signedContent = "{method}\n{url}\n{body}";
  const url = "https://hooks.example.com/triggers/shop?token=sbk_1";
  const body = Buffer.from("{}");

  it("is valid for the public URL of the request only", () => {
    const verification = hmac({ secret: textSecret, header: "x-signature", signedContent });
    expect(verification.readsUrl).toBe(true);
    expect(verification.check(requestOf(signUrl("POST", url), body, now, { url }))).toBeNull();
    for (const other of [`${url}&a=1`, url.replace("https", "http"), url.toUpperCase(), `${url}/`])
      expect(verification.check(requestOf(signUrl("POST", url), body, now, { url: other }))).toMatchObject({
        kind: "mismatch",
        detail: expect.stringContaining(
          `It covers the URL, which is ${other.split("?", 1)[0]}?… with the query of the request for this server.`,
        ),
      });
    expect(verification.check(requestOf(signUrl("PUT", url), body, now, { url }))?.kind).toBe("mismatch");
  });

  it("is valid for the URL in the option url, for any URL of the request", () => {
    const verification = hmac({ secret: textSecret, header: "x-signature", signedContent, url });
    expect(verification.readsUrl).toBe(false);
    expect(verification.check(requestOf(signUrl("POST", url), body, now, { url: "http://10.0.0.1/x" }))).toBeNull();
    expect(verification.check(requestOf(signUrl("POST", url), body))).toBeNull();
  });

  it("cannot be checked if the URL is unknown", () => {
    const verification = hmac({ secret: textSecret, header: "x-signature", signedContent });
    expect(verification.check(requestOf(signUrl("POST", url), body, now, { url: null }))).toEqual({
      kind: "malformed",
      detail:
        "The signature covers the URL, which is unknown (hmac): the request has no Host header. Set baseUrl in signalbox.config.ts.",
    });
  });
});

/** Equal for headers with the same signature: digits in either case, base64 with or without padding, empty entries. */
const meaningOf = (signature: string) =>
  signature
    .toLowerCase()
    .split(/=*(?:[,\s]+|$)/)
    .filter((entry) => entry !== "")
    .join(",");

describe.each(senders)("$name", ({ verify, secret, otherSecret, sign, signatureHeader, timeHeader }) => {
  const verification = verify(secret);

  it("accepts its sender's signature of any body", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        expect(verification.check(requestOf(await sign({ body, at: now, secret }), body))).toBeNull();
      }),
      { numRuns: 50 },
    );
  });

  it("rejects every other body: a flipped bit, a missing byte, an extra byte", async () => {
    const headers = await sign({ body: sample, at: now, secret });
    for (let at = 0; at < sample.length * 8; at++) {
      const other = Buffer.from(sample);
      other[at >> 3] = (other[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(verification.check(requestOf(headers, other))?.kind).toBe("mismatch");
    }
    for (const other of [
      sample.subarray(0, -1),
      sample.subarray(1),
      Buffer.concat([sample, Buffer.from(" ")]),
      Buffer.concat([Buffer.from("\uFEFF"), sample]),
      Buffer.alloc(0),
    ]) {
      expect(verification.check(requestOf(headers, other))?.kind).toBe("mismatch");
    }
  });

  it("verifies bytes: invalid UTF-8 is not replaced before the check", async () => {
    const read = Buffer.from('{"a":"\uFFFD"}');
    const headers = await sign({ body: read, at: now, secret });
    expect(verification.check(requestOf(headers, read))).toBeNull();
    expect(verification.check(requestOf(headers, Buffer.from('{"a":"\xFF"}', "latin1")))?.kind).toBe("mismatch");
  });

  it("rejects a signature with any added, removed or changed character", async () => {
    const headers = await sign({ body: sample, at: now, secret });
    const signature = headers[signatureHeader] ?? "";
    const accepted: string[] = [];
    for (let at = 0; at <= signature.length; at++) {
      for (const character of ["", ..."0123456789abcdefghijXYZ+/=,. "]) {
        for (const after of [at, at + 1]) {
          const changed = signature.slice(0, at) + character + signature.slice(after);
          if (meaningOf(changed) === meaningOf(signature)) continue;
          if (verification.check(requestOf({ ...headers, [signatureHeader]: changed }, sample)) === null)
            accepted.push(changed);
        }
      }
    }
    expect(accepted).toEqual([]);
  });

  it('rejects the signature of a different secret with "does not match"', async () => {
    const headers = await sign({ body: sample, at: now, secret: otherSecret });
    expect(verification.check(requestOf(headers, sample))).toMatchObject({
      kind: "mismatch",
      detail: expect.stringContaining(signatureHeader),
    });
  });

  it("accepts either secret during a rotation, and ignores unset ones", async () => {
    for (const signedBy of [secret, otherSecret]) {
      const headers = await sign({ body: sample, at: now, secret: signedBy });
      expect(verify([secret, otherSecret]).check(requestOf(headers, sample))).toBeNull();
      expect(verify([undefined, signedBy, ""]).check(requestOf(headers, sample))).toBeNull();
    }
  });

  it("reports a missing or malformed signature", async () => {
    const headers = await sign({ body: sample, at: now, secret });
    const { [signatureHeader]: _, ...unsigned } = headers;
    expect(verification.check(requestOf(unsigned, sample))).toMatchObject({
      kind: "unsigned",
      detail: expect.stringContaining(signatureHeader),
    });
    for (const nonsense of ["", "sha256=", "t=1", "v1,", "0".repeat(66), "\u00FF"]) {
      expect(verification.check(requestOf({ ...headers, [signatureHeader]: nonsense }, sample))).toMatchObject({
        kind: "malformed",
        detail: expect.stringContaining(signatureHeader),
      });
    }
  });

  it("never throws, and never reveals the secret or the expected signature", async () => {
    const expected = (await sign({ body: sample, at: now, secret }))[signatureHeader] ?? "";
    const hidden = [
      secret,
      secret.replace("whsec_", ""),
      expected,
      ...expected.split(/[=, ]/).filter((part) => part.length > 30),
    ];
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(signatureHeader, timeHeader ?? "x-none", "webhook-id", "svix-id", "x-id"),
          fc.string({ unit: "binary", maxLength: 80 }),
        ),
        fc.uint8Array(),
        (headers, body) => {
          const fault = verification.check(requestOf(headers, body));
          for (const one of hidden) expect(JSON.stringify(fault)).not.toContain(one);
        },
      ),
    );
    expect(JSON.stringify(verification)).not.toContain(secret);
  });
});

describe.each(senders.filter(({ hasTime }) => hasTime))("$name, which signs the time", ({ verify, secret, sign }) => {
  const faultAt = async (offset: number) =>
    verify(secret).check(requestOf(await sign({ body: sample, at: now + offset, secret }), sample));

  it("accepts a clock difference of at most five minutes", async () => {
    for (const offset of [-5 * minute, -1000, 0, 1000, 5 * minute]) expect(await faultAt(offset)).toBeNull();
    for (const offset of [-24 * 60 * minute, -5 * minute - 1000])
      expect(await faultAt(offset)).toMatchObject({
        kind: "expired",
        detail: expect.stringMatching(/ is (?:1 day|5 minutes 1 second) old\. The tolerance is 5 minutes\./),
      });
    for (const offset of [5 * minute + 1000, 24 * 60 * minute])
      expect(await faultAt(offset)).toMatchObject({
        kind: "expired",
        detail: expect.stringContaining("ahead of the server's clock. The tolerance is"),
      });
  });
});

describe.each(senders.flatMap(({ timeHeader, ...sender }) => (timeHeader === null ? [] : [{ ...sender, timeHeader }])))(
  "$name, whose time is a header",
  ({ verify, secret, sign, timeHeader }) => {
    it("rejects a missing time, and any time other than the signed one", async () => {
      const headers: Record<string, string> = await sign({ body: sample, at: now, secret });
      for (const time of [
        `${Number(headers[timeHeader]) + 1}`,
        ` ${headers[timeHeader]}`,
        `${headers[timeHeader]}.0`,
        `+${headers[timeHeader]}`,
        "",
        "NaN",
      ]) {
        expect(verify(secret).check(requestOf({ ...headers, [timeHeader]: time }, sample))?.kind).toBe("mismatch");
      }
      const { [timeHeader]: _, ...timeless } = headers;
      expect(verify(secret).check(requestOf(timeless, sample))).toMatchObject({
        kind: "malformed",
        detail: expect.stringContaining(timeHeader),
      });
    });
  },
);

describe("linear", () => {
  const verification = linearSender.verify(textSecret);

  it("accepts a signed body whose time is within five minutes", () => {
    for (const [offset, kind] of [
      [0, undefined],
      [-5 * minute, undefined],
      [5 * minute + 1, "expired"],
      [-5 * minute - 1, "expired"],
    ] as const) {
      const body = linearSender.bodyAt(now + offset);
      expect(verification.check(requestOf(linearSender.sign(body), body))?.kind).toBe(kind);
    }
  });

  it("rejects a body without a time, and a changed body", () => {
    for (const body of ["{}", "[]", "no JSON", '{"webhookTimestamp":"1700000000000"}']) {
      expect(verification.check(requestOf(linearSender.sign(Buffer.from(body)), Buffer.from(body)))?.kind).toBe(
        "malformed",
      );
    }
    const body = linearSender.bodyAt(now - 10 * minute);
    expect(verification.check(requestOf(linearSender.sign(body), linearSender.bodyAt(now)))?.kind).toBe("mismatch");
  });
});

const signed = (prefix: string) => ({
  [`${prefix}-id`]: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  [`${prefix}-timestamp`]: "1614265330",
  [`${prefix}-signature`]: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
});

const answerOfSlack = (body: unknown) => slack({ secret: textSecret }).answer(body, requestOf({}, Buffer.from("")));

describe("examples from the senders' documentation", () => {
  it("GitHub's own example", async () => {
    const [secret, body, signature] = [
      "It's a Secret to Everybody",
      "Hello, World!",
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    ];
    expect(await verifyByOctokit(secret, body, signature)).toBe(true);
    expect(github({ secret }).check(requestOf({ "x-hub-signature-256": signature }, Buffer.from(body)))).toBeNull();
  });

  it("Slack's own example", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    expect(
      slack({ secret: "8f742231b10e8888abcd99yyyzzz85a5" }).check(
        requestOf(headers, Buffer.from(body), 1_531_420_618_000),
      ),
    ).toBeNull();
  });

  it("that of Standard Webhooks, under either name of its headers", () => {
    const body = Buffer.from('{"test": 2432232314}');
    const at = 1_614_265_330_000;
    for (const secret of [base64Secret, base64Secret.replace("whsec_", "")]) {
      expect(standardWebhooks({ secret }).check(requestOf(signed("webhook"), body, at))).toBeNull();
      expect(svix({ secret }).check(requestOf(signed("svix"), body, at))).toBeNull();
      expect(svix({ secret }).check(requestOf(signed("webhook"), body, at))).toBeNull();
    }
    expect(standardWebhooks({ secret: base64Secret }).check(requestOf(signed("svix"), body, at))?.kind).toBe(
      "unsigned",
    );
  });

  it("one valid signature is enough among others of other versions and other secrets", async () => {
    const svixSender = senders.find(({ name }) => name === "svix");
    const headers = { ...(await svixSender?.sign({ body: sample, at: now, secret: base64Secret })) };
    const good = headers["svix-signature"] ?? "";
    for (const all of [`v1a,abcd ${good}`, `v1,${Buffer.alloc(32).toString("base64")} ${good} v2,x`]) {
      expect(svix({ secret: base64Secret }).check(requestOf({ ...headers, "svix-signature": all }, sample))).toBeNull();
    }
    const stripeSender = senders.find(({ name }) => name === "stripe");
    const signature =
      (await stripeSender?.sign({ body: sample, at: now, secret: textSecret }))?.["stripe-signature"] ?? "";
    expect(
      stripe({ secret: textSecret }).check(
        requestOf({ "stripe-signature": `${signature},v1=${"0".repeat(64)},v0=${"f".repeat(64)}` }, sample),
      ),
    ).toBeNull();
    // An old scheme is ignored, and a second timestamp beside the signed one is rejected.
    expect(
      stripe({ secret: textSecret }).check(requestOf({ "stripe-signature": signature.replace("v1=", "v0=") }, sample))
        ?.kind,
    ).toBe("malformed");
    expect(
      stripe({ secret: textSecret }).check(requestOf({ "stripe-signature": `t=1,${signature}` }, sample))?.kind,
    ).toBe("malformed");
  });

  it("only Slack's challenge is answered", () => {
    expect(answerOfSlack({ token: "x", challenge: "3eZbrw1a", type: "url_verification" })).toEqual({
      status: 200,
      contentType: "application/json",
      body: '{"challenge":"3eZbrw1a"}',
    });
    for (const body of [
      null,
      [],
      "url_verification",
      { type: "url_verification" },
      { type: "event_callback", challenge: "a" },
      { type: "url_verification", challenge: 1 },
    ])
      expect(answerOfSlack(body)).toBeNull();
    const challenge = { type: "url_verification", challenge: "a" };
    expect(linear({ secret: textSecret }).answer(challenge, requestOf({}, Buffer.from("")))).toBeNull();
  });
});

describe("hmac", () => {
  it.each([
    [{ header: "x-s" }, "sha256", "hex", ""],
    [{ header: "x-s", algorithm: "sha1", prefix: "sha1=" }, "sha1", "hex", "sha1="],
    [{ header: "x-s", encoding: "base64", prefix: "HMAC " }, "sha256", "base64", "HMAC "],
  ] as const)("%j takes what is signed so", (options, algorithm, encoding, prefix) => {
    const signature = prefix + createHmac(algorithm, textSecret).update(sample).digest(encoding);
    const verification = hmac({ secret: textSecret, ...options });
    expect(verification.check(requestOf({ "x-s": signature }, sample))).toBeNull();
    expect(verification.check(requestOf({ "x-s": signature.replace(prefix, "") }, sample)) === null).toBe(
      prefix === "",
    );
    expect(verification.check(requestOf({ "x-s": signature }, Buffer.from("{}")))?.kind).toBe("mismatch");
  });
});

/** The two forms of base64, with padding and without, and hexadecimal digits in both cases. */
const notations = (signature: Buffer): Record<"hex" | "base64" | "base64url", string[]> => {
  const [base64, url] = [signature.toString("base64"), signature.toString("base64url")];
  const both = [base64, url, base64.replace(/=+$/, ""), url.padEnd(base64.length, "=")];
  return { hex: [signature.toString("hex"), signature.toString("hex").toUpperCase()], base64: both, base64url: both };
};

describe("hmac with several signatures", () => {
  const right = createHmac("sha256", textSecret).update(sample).digest();
  const wrong = (n: number) => createHmac("sha256", `wrong ${n}`).update(sample).digest();
  const separators = fc.constantFrom(",", ", ", " ", ";", "; ", " , ", ",,", "\t");
  const encodings = fc.constantFrom("hex" as const, "base64" as const, "base64url" as const);

  it("accepts a request exactly if one of them is valid, in every notation, order and separation", () => {
    fc.assert(
      fc.property(
        encodings,
        fc.constantFrom("", "v1=", "sha256=", "v1,", "HMAC "),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
        separators,
        fc.nat(3),
        fc.boolean(),
        (encoding, prefix, areRight, separator, notation, isQuoted) => {
          const quote = isQuoted ? '"' : "";
          const entries = areRight.map((isRight, n) => {
            const texts = notations(isRight ? right : wrong(n))[encoding];
            return `${prefix}${quote}${texts[notation % texts.length]}${quote}`;
          });
          const verification = hmac({ secret: textSecret, header: "x-s", encoding, prefix });
          const checked = verification.check(requestOf({ "x-s": entries.join(separator) }, sample));
          expect(checked?.kind ?? null).toBe(areRight.includes(true) ? null : "mismatch");
        },
      ),
      { numRuns: 400 },
    );
  });

  const hex = right.toString("hex");
  it.each<[text: string, prefix: string, kind: string | null]>([
    [`t=1,v1=${hex},v1=${wrong(0).toString("hex")}`, "v1=", null],
    [`t=1,v0=${hex}`, "v1=", "malformed"],
    [`v10=${hex}`, "v1=", "malformed"],
    [`xv1=${hex}`, "v1=", "malformed"],
    [`V1=${hex}`, "v1=", null],
    [`sha256=${hex} sha256=${hex}`, "sha256=", null],
    [`keyId="a,b", algorithm="hmac", signature="${hex}"`, "signature=", null],
    [`${hex}.${hex}`, "", "malformed"],
    [`${hex}|`, "", "malformed"],
    ["", "", "malformed"],
    [",,, ;", "", "malformed"],
    [`"${hex}`, "", null],
  ])("reads %s with the prefix %j", (text, prefix, kind) => {
    const verification = hmac({ secret: textSecret, header: "x-s", prefix });
    expect(verification.check(requestOf({ "x-s": text }, sample))?.kind ?? null).toBe(kind);
  });

  it("accepts the signature in any of several headers, and names the one that it found", () => {
    const verification = hmac({ secret: textSecret, header: ["X-New", "x-old"] });
    const sent: Record<string, string>[] = [
      { "x-new": hex },
      { "x-old": hex },
      { "x-new": wrong(0).toString("hex"), "x-old": hex },
      { "x-new": "?", "x-old": hex },
    ];
    for (const headers of sent) expect(verification.check(requestOf(headers, sample))).toBeNull();
    expect(verification.check(requestOf({ "x-old": wrong(0).toString("hex") }, sample))).toMatchObject({
      kind: "mismatch",
      detail: expect.stringContaining("The signature in x-old does not match"),
    });
    expect(verification.check(requestOf({ "x-other": hex }, sample))).toMatchObject({
      kind: "unsigned",
      detail: expect.stringContaining("The header x-new is missing"),
    });
    expect(verification.proofHeaders).toEqual(["x-new", "x-old"]);
  });

  it("checks no more of them than a rotation needs, and reads long headers in linear time", () => {
    const verification = hmac({ secret: textSecret, header: "x-s" });
    const check = (before: number) => {
      const text = [...Array.from({ length: before }, (_, n) => wrong(n)), right]
        .map((one) => one.toString("hex"))
        .join(",");
      return verification.check(requestOf({ "x-s": text }, sample));
    };
    expect(check(15)).toBeNull();
    expect(check(16)?.kind).toBe("mismatch");
    for (const text of [
      '"'.repeat(60_000),
      "a".repeat(60_000),
      ",".repeat(60_000),
      "a,".repeat(30_000),
      '"a'.repeat(30_000),
    ])
      expect(verification.check(requestOf({ "x-s": text }, sample))?.kind).toBe("malformed");
  });
});

const signature = (time: number) => createHmac("sha256", textSecret).update(`${time}:`).update(sample).digest("hex");

describe("hmac with the time in the header of the signature", () => {
  const options = {
    secret: textSecret,
    header: "paddle-signature",
    prefix: "h1=",
    timestamp: { header: "paddle-signature", prefix: "ts=" },
    signedContent: "{timestamp}:{body}",
  };
  const at = Math.floor(now / 1000);
  const check = (text: string) => hmac(options).check(requestOf({ "paddle-signature": text }, sample));

  it("accepts the forms of senders that do so", () => {
    for (const text of [`ts=${at};h1=${signature(at)}`, `h1=${signature(1)}, h1=${signature(at)}, ts=${at}`])
      expect(check(text)).toBeNull();
    const signed = hmac(options).sign(requestOf({}, sample)) ?? {};
    expect(Object.keys(signed)).toEqual(["paddle-signature"]);
    expect(hmac(options).check(requestOf({ ...signed }, sample))).toBeNull();
  });

  it("rejects a time that is changed, old, missing or ambiguous", () => {
    expect(check(`ts=${at + 1};h1=${signature(at)}`)?.kind).toBe("mismatch");
    expect(check(`ts=${at - 301};h1=${signature(at - 301)}`)?.kind).toBe("expired");
    expect(check(`h1=${signature(at)}`)?.kind).toBe("malformed");
    expect(check(`ts=${at};ts=${at + 1};h1=${signature(at)}`)?.kind).toBe("malformed");
  });
});

describe("hmac with an encoded secret", () => {
  const bytes = Buffer.from("fbefbefbefbefbefbefbefbefbefbe00ff", "hex");
  const signed = createHmac("sha256", bytes).update(sample).digest("hex");

  it.each([
    ["base64", bytes.toString("base64")],
    ["base64", bytes.toString("base64").replace(/=+$/, "")],
    ["base64", bytes.toString("base64url")],
    ["hex", bytes.toString("hex")],
    ["hex", bytes.toString("hex").toUpperCase()],
  ] as const)("%s signs with the decoded bytes of %s", (secretEncoding, secret) => {
    const check = (changes: object) =>
      hmac({ secret, header: "x-s", ...changes }).check(requestOf({ "x-s": signed }, sample));
    expect(check({ secretEncoding })).toBeNull();
    expect(check({})?.kind).toBe("mismatch");
  });

  it.each([
    ["base64", "no base64, but long!", "is not base64, which the option secretEncoding says"],
    ["hex", "0123456789abcdef0", "is not hexadecimal, which the option secretEncoding says"],
    ["hex", "0123456789abcdef", "has 8 bytes, but needs at least 16"],
  ] as const)("%s reports %s", (secretEncoding, secret, words) => {
    expect(hmac({ secret, header: "x-s", secretEncoding }).secretProblem).toEqual({ kind: "unusable", words });
  });
});

describe("a signature that a test makes", () => {
  const withPrivateKey = ["discord", "sendgrid"];
  const others = senders.filter(({ name }) => !withPrivateKey.includes(name));

  it.each(others)("of $name is valid for every body, and for no other secret", ({ verify, secret, otherSecret }) => {
    fc.assert(
      fc.property(bodies, (body) => {
        const given = { "x-id": "7" };
        const signature = verify(secret).sign(requestOf(given, body));
        expect(signature).not.toBeNull();
        const signed = requestOf({ ...given, ...signature }, body);
        expect(verify(secret).check(signed)).toBeNull();
        expect(verify(otherSecret).check(signed)?.kind).toBe("mismatch");
      }),
      { numRuns: 20 },
    );
  });

  it("of Linear, Twilio and GitLab is valid, too", () => {
    const body = linearSender.bodyAt(now);
    const signedByLinear = schemes.linear({ secret: textSecret }).sign(requestOf({}, body)) ?? {};
    expect(linear({ secret: textSecret }).check(requestOf({ ...signedByLinear }, body))).toBeNull();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const twilio = instant(schemes.twilio)({ secret: textSecret });
    const sms = Buffer.from("Body=Hi&From=%2B1");
    expect(twilio.check(requestOf({ ...form, ...twilio.sign(requestOf(form, sms)) }, sms))).toBeNull();
    const gitlab = instant(schemes.gitlab)({ secret: textSecret });
    expect(gitlab.check(requestOf({ ...gitlab.sign(requestOf({}, sample)) }, sample))).toBeNull();
  });

  it("does not exist without a secret, and if only the sender can sign", () => {
    for (const { verify, secret } of senders.filter(({ name }) => withPrivateKey.includes(name)))
      expect(verify(secret).sign(requestOf({}, sample))).toBeNull();
    expect(github({ secret: undefined }).sign(requestOf({}, sample))).toBeNull();
    expect(schemes.mailgun({ secret: textSecret }).sign(requestOf({}, sample))).toBeNull();
  });
});
