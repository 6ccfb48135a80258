import { createHash, createHmac } from "node:crypto";
import { verifyKey } from "discord-interactions";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acceptedByLinear,
  acceptedByZoom,
  publishedGraph,
  publishedHubspot,
  publishedMailgun,
  publishedMeta,
  publishedShopify,
  publishedSquare,
  publishedTwilio,
} from "./testing/published.ts";
import { discordKeys, instant, now, publicUrl, requestOf, senders, textSecret } from "./testing/senders.ts";
import * as schemes from "./index.ts";
import type { Secret } from "./index.ts";

const twilio = instant(schemes.twilio);
const mailgun = instant(schemes.mailgun);
const gitlab = instant(schemes.gitlab);
const microsoftGraph = instant(schemes.microsoftGraph);
const square = instant(schemes.square);
const sendgrid = instant(schemes.sendgrid);
const discord = instant(schemes.discord);
const other = "fedcba9876543210fedcba9876543210";
const minute = 60_000;
const form = { "content-type": "application/x-www-form-urlencoded" };
const utf8 = (text: string) => Buffer.from(text);
/** The same key of an HMAC, which fills short keys with zeros. Some published secrets are shorter than Signalbox allows. */
const atLeast16Bytes = (secret: string) => secret.padEnd(16, "\0");

const signTwilio = (content: string | Buffer, secret = textSecret) => ({
  "x-twilio-signature": createHmac("sha1", secret).update(content).digest("base64"),
});

const twilioHash = (body: string, url = publicUrl) =>
  twilio({ secret: textSecret })
    .readSigned(requestOf({ ...form, ...signTwilio("") }, utf8(body), now, { url }))
    ?.contentHash();

describe("twilio", () => {
  it("accepts the example of its own library, and nothing else", () => {
    const { secret, url, signature, body } = publishedTwilio;
    const headers = { ...form, "x-twilio-signature": signature };
    const check = (sent: string, at = url) =>
      twilio({ secret }).check(requestOf(headers, utf8(sent), now, { url: at }));
    expect(check(body)).toBeNull();
    // The order of the fields does not matter.
    expect(check(body.split("&").reverse().join("&"))).toBeNull();
    for (const changed of [`${body}&a=1`, body.replace("ringing", "busy"), body.slice(0, -1), "", "=", "&", "%"])
      expect(check(changed)?.kind).toBe("mismatch");
    for (const changed of [`${url}?`, `${url}/`, url.replace("http", "https"), "http://postbin.org/1ed898x"])
      expect(check(body, changed)).toMatchObject({
        kind: "mismatch",
        detail: expect.stringContaining(`It covers the URL, which is ${changed}`),
      });
    expect(twilio({ secret, url }).check(requestOf(headers, utf8(body)))).toBeNull();
  });

  it("sorts the values of a repeated field, each once", () => {
    const content = `${publicUrl}Digits1234Digits5678SidCA123SidAccountAC123`;
    const body = utf8("Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=5678");
    expect(twilio({ secret: textSecret }).check(requestOf({ ...form, ...signTwilio(content) }, body))).toBeNull();
  });

  it("compares bytes: bytes that are no UTF-8 are not replaced before the check", () => {
    const headers = { ...form, ...signTwilio(Buffer.concat([utf8(`${publicUrl}Body`), utf8("\uFFFD")])) };
    const check = (body: Buffer) => twilio({ secret: textSecret }).check(requestOf(headers, body));
    expect(check(utf8("Body=%EF%BF%BD"))).toBeNull();
    expect(check(Buffer.from("Body=\xFF", "latin1"))?.kind).toBe("mismatch");
    expect(check(utf8("Body=%FF"))?.kind).toBe("mismatch");
  });

  it("accepts the URL with or without its port, and with the credentials that the request has", () => {
    const authorization = `Basic ${utf8("hook:sbk_key").toString("base64")}`;
    const url = "https://hooks.example.com/triggers/sms?a=1";
    for (const [signed, received] of [
      ["https://hooks.example.com:443/triggers/sms?a=1", url],
      [url, "https://hooks.example.com:443/triggers/sms?a=1"],
      ["https://hook:sbk_key@hooks.example.com/triggers/sms?a=1", url],
      ["https://hook:sbk_key@hooks.example.com:443/triggers/sms?a=1", url],
      ["http://hooks.example.com:80", "http://hooks.example.com"],
    ] as const)
      expect(
        twilio({ secret: textSecret }).check(
          requestOf({ ...form, authorization, ...signTwilio(`${signed}A1`) }, utf8("A=1"), now, { url: received }),
        ),
      ).toBeNull();
  });

  it("accepts JSON only with the hash of the body in the signed URL", () => {
    const body = utf8('{"property":"value"}');
    const hash = createHash("sha256").update(body).digest("hex");
    const json = { "content-type": "application/json" };
    const url = `${publicUrl}&bodySHA256=${hash}`;
    const check = (headers: Record<string, string>, sent: Buffer, options = {}) =>
      twilio({ secret: textSecret, ...options }).check(requestOf(headers, sent, now, { url }));
    expect(check({ ...json, ...signTwilio(url) }, body)).toBeNull();
    expect(check({ ...json, ...signTwilio(url) }, body, { url: publicUrl })).toBeNull();
    expect(check({ ...json, ...signTwilio(url) }, utf8('{"property":"other"}'))).toMatchObject({
      kind: "mismatch",
      detail: "The body does not match bodySHA256 in the URL (twilio). A proxy changed the request.",
    });
    expect(twilio({ secret: textSecret }).check(requestOf({ ...json, ...signTwilio(publicUrl) }, body))).toEqual({
      kind: "malformed",
      detail: "The body is not signed (twilio): it is no form, and the URL has no bodySHA256.",
    });
  });

  it("identifies an event by the URL and the fields", () => {
    expect(twilioHash("a=1&b=2")).toBe(twilioHash("b=2&a=1"));
    expect(new Set([twilioHash("a=1"), twilioHash("a=2"), twilioHash("a=1", `${publicUrl}&c=1`)]).size).toBe(3);
  });
});

const signMailgun = (token: string, at = now, secret = textSecret) => {
  const timestamp = `${Math.floor(at / 1000)}`;
  return {
    timestamp,
    token,
    signature: createHmac("sha256", secret)
      .update(timestamp + token)
      .digest("hex"),
  };
};

const checkMailgun = (body: Buffer, headers: Record<string, string> = { "content-type": "application/json" }) =>
  mailgun({ secret: [textSecret, undefined] }).check(requestOf(headers, body));
const token = "e0b5477167110d68991efc6b9f89f0a11066af27834600e123";

describe("mailgun", () => {
  const json = (signature: unknown, more = {}) => utf8(JSON.stringify({ signature, "event-data": { id: 1, ...more } }));

  it("accepts the example of its own library, and nothing else", () => {
    const { secret, time, token: published, otherToken, signature } = publishedMailgun;
    const check = (changed: object, given = secret) =>
      mailgun({ secret: given }).check(
        requestOf(
          { "content-type": "application/json" },
          json({ timestamp: `${time}`, token: published, signature, ...changed }),
          (time + 60) * 1000,
        ),
      );
    expect(check({})).toBeNull();
    expect(check({ timestamp: time })).toBeNull();
    for (const fault of [check({ token: otherToken }), check({ timestamp: time + 1 }), check({}, textSecret)])
      expect(fault).toMatchObject({ kind: "mismatch" });
  });

  it("accepts a signature in JSON, in a form, and in a multipart form", () => {
    const proof = signMailgun(token);
    expect(checkMailgun(json(proof))).toBeNull();
    expect(checkMailgun(json({ ...proof, timestamp: Number(proof.timestamp) }))).toBeNull();
    expect(checkMailgun(utf8(`subject=Hi+there&${new URLSearchParams(proof)}`), form)).toBeNull();
    const parts = Object.entries({ "body-plain": "Hi\r\n--x", ...proof })
      .map(([name, value]) => `--b1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join("");
    const file = '--b1\r\nContent-Disposition: form-data; name="token"; filename="t.txt"\r\n\r\nother\r\n--b1--\r\n';
    for (const type of ["multipart/form-data; boundary=b1", 'multipart/form-data; boundary="b1"; a=b'])
      expect(checkMailgun(utf8(parts + file), { "content-type": type })).toBeNull();
  });

  it.each<[what: string, head: (name: string) => string, type?: string]>([
    ["names without quotes", (name) => `Content-Disposition: form-data; name=${name}`],
    ["headers in lower case", (name) => `content-disposition:form-data;name="${name}"`],
    ["another order of parameters", (name) => `Content-Disposition: form-data; x="y"; name="${name}"`],
    [
      "a charset",
      (name) => `Content-Type: text/plain; charset=us-ascii\r\nContent-Disposition: form-data; name="${name}"`,
    ],
    ["a folded header", (name) => `Content-Disposition: form-data;\r\n name="${name}"`],
    ["spaces after the boundary", (name) => `Content-Disposition: form-data; name="${name}"`, "padding"],
    ["a preamble", (name) => `Content-Disposition: form-data; name="${name}"`, "preamble"],
    ["an escaped name", (name) => `Content-Disposition: form-data; name*=UTF-8''${name}`],
    ["the boundary inside of a value", (name) => `Content-Disposition: form-data; name="${name}"`, "inside"],
    [
      "a Content-Transfer-Encoding",
      (name) => `Content-Transfer-Encoding: 7BIT\r\nContent-Disposition: form-data; name="${name}"`,
    ],
  ])("reads a multipart form with %s as the receiver does", (_, head, special) => {
    const fields = { ...(special === "inside" && { text: "a --b1 b\r\n--b1x\r\nc" }), ...signMailgun(token) };
    const delimiter = special === "padding" ? "--b1  \t" : "--b1";
    const parts = Object.entries(fields)
      .map(([name, value]) => `${delimiter}\r\n${head(name)}\r\n\r\n${value}\r\n`)
      .join("");
    const body = `${special === "preamble" ? "This is MIME.\r\n" : ""}${parts}--b1--\r\n`;
    expect(checkMailgun(utf8(body), { "content-type": "multipart/form-data; boundary=b1" })).toBeNull();
  });

  it("accepts the signature of the primary account for a subaccount", () => {
    const proof = signMailgun(token, now, other);
    expect(checkMailgun(json(proof))?.kind).toBe("mismatch");
    expect(checkMailgun(json({ ...proof, "parent-signature": signMailgun(token).signature }))).toBeNull();
  });

  it.each([
    ["no signature", json({ ...signMailgun(token), signature: undefined }), "unsigned"],
    ["a body that is no JSON", utf8("{"), "unsigned"],
    ["another token", json({ ...signMailgun(token), token: "other" }), "mismatch"],
    ["another time", json({ ...signMailgun(token), timestamp: "1" }), "mismatch"],
    ["no token", json({ ...signMailgun(token), token: undefined }), "malformed"],
    ["a malformed signature", json({ ...signMailgun(token), signature: "zz" }), "malformed"],
    ["an old time", json(signMailgun(token, now - 6 * minute)), "expired"],
    ["a future time", json(signMailgun(token, now + 6 * minute)), "expired"],
    ["an object as token", json({ ...signMailgun(token), token: { a: 1 } }), "malformed"],
  ])("rejects %s", (_, body, kind) => expect(checkMailgun(body)?.kind).toBe(kind));

  it("rejects a form with two tokens: it is unclear which one is signed", () => {
    expect(checkMailgun(utf8(`${new URLSearchParams(signMailgun(token))}&token=other`), form)?.kind).toBe("malformed");
  });

  it("identifies an event by its token, because the signature does not cover the rest of the body", () => {
    const verification = mailgun({ secret: textSecret });
    expect(verification.coversBody).toBe(false);
    const hashOf = (body: Buffer) => verification.readSigned(requestOf({}, body))?.contentHash();
    expect(hashOf(json(signMailgun(token)))).toBe(hashOf(json(signMailgun(token), { id: 2 })));
    expect(hashOf(json(signMailgun(token)))).not.toBe(hashOf(json(signMailgun("another"))));
  });
});

const checkGitLab = (headers: Record<string, string>, secret: schemes.Secret = textSecret) =>
  gitlab({ secret }).check(requestOf(headers, utf8("{}")));

describe("gitlab", () => {
  it("accepts the token, either one during a rotation", () => {
    expect(checkGitLab({ "x-gitlab-token": textSecret })).toBeNull();
    expect(checkGitLab({ "x-gitlab-token": textSecret }, [other, textSecret])).toBeNull();
  });

  it("rejects any other token, without repeating it", () => {
    for (const token of [
      other,
      textSecret.slice(0, -1),
      `${textSecret}0`,
      textSecret.toUpperCase(),
      "\u00FF",
      "x".repeat(60_000),
    ])
      expect(checkGitLab({ "x-gitlab-token": token })).toEqual({
        kind: "mismatch",
        detail: "The token in x-gitlab-token is not the secret of the endpoint (gitlab).",
      });
    expect(checkGitLab({})?.kind).toBe("unsigned");
    expect(checkGitLab({ "x-gitlab-token": "" })?.kind).toBe("malformed");
  });

  it("signs nothing: headers may identify an event, as without verify", () => {
    const verification = gitlab({ secret: textSecret });
    expect(verification.signedHeaders).toBeNull();
    expect(verification.readSigned(requestOf({}, utf8("{}")))).toBeNull();
  });
});

describe("microsoftGraph", () => {
  const notify = (...states: unknown[]) =>
    utf8(JSON.stringify({ value: states.map((clientState) => ({ clientState, changeType: "updated" })) }));
  const verification = microsoftGraph({ secret: [textSecret, other] });
  const check = (body: Buffer) => verification.check(requestOf({}, body));

  it("accepts the notification of its documentation, and nothing else", () => {
    const { secret, body } = publishedGraph;
    const checkPublished = (sent: string, given = secret) =>
      microsoftGraph({ secret: given }).check(requestOf({ "content-type": "application/json" }, utf8(sent)));
    expect(checkPublished(body)).toBeNull();
    for (const fault of [checkPublished(body.replace(secret, "SecretClientState")), checkPublished(body, textSecret)])
      expect(fault).toMatchObject({ kind: "mismatch" });
  });

  it("accepts notifications that all have the clientState", () => {
    expect(check(notify(textSecret))).toBeNull();
    expect(check(notify(other, other))).toBeNull();
  });

  it.each([
    ["another clientState", notify("another client state"), "mismatch"],
    ["one of several", notify(textSecret, "another client state"), "malformed"],
    ["two valid ones in one request", notify(textSecret, other), "malformed"],
    ["none", notify(textSecret, undefined), "unsigned"],
    ["a number", notify(7), "unsigned"],
    ["no notification", notify(), "unsigned"],
    ["no list", utf8('{"value":{}}'), "unsigned"],
    ["no JSON", utf8("value"), "unsigned"],
  ])("rejects %s", (_, body, kind) => expect(check(body)?.kind).toBe(kind));

  const greet = (method: string, query: string) => verification.greet({ method, target: `/triggers/mail?${query}` });

  it("answers the validation of a new subscription with its token, and nothing else", () => {
    expect(greet("POST", "token=sbk_1&validationToken=Validation%3A+Testing+%3Cb%3E")).toEqual({
      status: 200,
      contentType: "text/plain",
      body: "Validation: Testing <b>",
    });
    expect(greet("GET", "validationToken=a")).toBeNull();
    expect(greet("POST", "a=validationToken")).toBeNull();
    expect(greet("POST", "validationToken=")).toMatchObject({ kind: "malformed" });
    expect(greet("POST", `validationToken=${"a".repeat(5000)}`)).toMatchObject({ kind: "malformed" });
  });
});

describe("meta", () => {
  it("accepts the example of its own library, and nothing else", () => {
    const { secret, signature, body } = publishedMeta;
    const check = (sent: string, given = secret) =>
      instant(schemes.meta)({ secret: atLeast16Bytes(given), verifyToken }).check(
        requestOf({ "x-hub-signature-256": signature }, utf8(sent)),
      );
    expect(check(body)).toBeNull();
    for (const fault of [check("Test"), check(`${body}\n`), check(body, `${secret}_`)])
      expect(fault).toMatchObject({ kind: "mismatch" });
  });

  const verifyToken = "a verify token of our own";
  const verification = schemes.meta({ secret: textSecret, verifyToken: [verifyToken, undefined] });
  const greet = (query: Record<string, string>, method = "GET") =>
    verification.greet({ method, target: `/triggers/meta?token=sbk_1&${new URLSearchParams(query)}` });
  const handshake = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": verifyToken };

  it("answers the verification request with its challenge if the verify token is right", () => {
    expect(greet(handshake)).toEqual({ status: 200, contentType: "text/plain", body: "1158201444" });
    for (const token of ["another", verifyToken.toUpperCase(), ""])
      expect(greet({ ...handshake, "hub.verify_token": token })).toEqual({
        kind: "mismatch",
        detail: "hub.verify_token is not the verifyToken of the endpoint (meta).",
      });
    expect(greet({ ...handshake, "hub.challenge": "1".repeat(2000) })).toMatchObject({ kind: "malformed" });
    expect(greet(handshake, "POST")).toBeNull();
    expect(greet({ ...handshake, "hub.mode": "unsubscribe" })).toBeNull();
    expect(greet({ "hub.mode": "subscribe" })).toBeNull();
  });

  it("reports a verify token that is not set, as it reports a secret", () => {
    const unset = schemes.meta({ secret: textSecret, verifyToken: undefined });
    expect(unset.secretProblem).toEqual({ kind: "missing", words: "is not set", subject: "verifyToken" });
    expect(unset.greet({ method: "GET", target: `/triggers/meta?${new URLSearchParams(handshake)}` })).toEqual({
      kind: "no_secret",
      detail:
        "The signature cannot be checked (meta): its verifyToken is not set. Set the verifyToken in the server's environment and restart the server.",
    });
  });
});

/** Senders that test an endpoint by a GET whose answer is an HMAC, and the answer that their manuals give. */
const signedChallenges = [
  {
    scheme: "twitter",
    verify: (secret: Secret) => schemes.twitter({ secret }),
    parameter: "crc_token",
    answer: (token: string, secret = textSecret) => ({
      response_token: `sha256=${createHmac("sha256", secret).update(token).digest("base64")}`,
    }),
  },
  {
    scheme: "linkedin",
    verify: (secret: Secret) => schemes.linkedin({ secret }),
    parameter: "challengeCode",
    answer: (challengeCode: string, secret = textSecret) => ({
      challengeCode,
      challengeResponse: createHmac("sha256", secret).update(challengeCode).digest("hex"),
    }),
  },
];

describe.each(signedChallenges)("the challenge of $scheme", ({ scheme, verify, parameter, answer }) => {
  const greet = (challenge: string, { method = "GET", name = parameter } = {}, ...secrets: Secret[]) =>
    verify(secrets.length === 0 ? textSecret : secrets[0]).greet({
      method,
      target: `/triggers/in?token=sbk_1&nonce=1&${new URLSearchParams({ [name]: challenge })}`,
    });
  const jsonOf = (given: ReturnType<typeof greet>): unknown =>
    given && "body" in given ? [given.status, given.contentType, JSON.parse(given.body)] : given;

  it("is answered with its HMAC, and that of the first secret in a list", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w.~+/=-]{1,256}$/), (challenge) => {
        expect(jsonOf(greet(challenge))).toEqual([200, "application/json", answer(challenge)]);
      }),
      { numRuns: 50 },
    );
    expect(jsonOf(greet("abc", {}, [undefined, other, textSecret]))).toEqual([
      200,
      "application/json",
      answer("abc", other),
    ]);
  });

  it("is not signed if it has an object or a list, as the body of an event has", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.object(), fc.array(fc.jsonValue())),
        fc.constantFrom("", "hmacsha256="),
        (body, before) => {
          expect(greet(before + JSON.stringify(body))).toMatchObject({ kind: "malformed" });
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each(["", " ", "a b", "a\n", "é", "{}", "[1]", '"a"', "a".repeat(257)])("%j is malformed", (challenge) => {
    expect(greet(challenge)).toEqual({
      kind: "malformed",
      detail: `${parameter} must have 1 to 256 letters, digits or . ~ + / = - _ (${scheme}).`,
    });
  });

  it("is a GET with the parameter, whose name has this case", () => {
    for (const method of ["POST", "HEAD", "OPTIONS"]) expect(greet("abc", { method })).toBeNull();
    for (const name of [parameter.toUpperCase(), `x${parameter}`, "challenge"])
      expect(greet("abc", { name })).toBeNull();
    expect(verify(textSecret).greet({ method: "GET", target: `/triggers/${parameter}` })).toBeNull();
  });

  it("needs a secret", () => {
    for (const secret of [undefined, "", [], "short"])
      expect(greet("abc", {}, secret)).toMatchObject({
        kind: "no_secret",
        detail: expect.stringContaining(`(${scheme}): its secret `),
      });
  });
});

describe("twitter", () => {
  it("answers the token in the example code of X as that code does", () => {
    const verification = schemes.twitter({ secret: "z3ZX4v7mAAUGykl3EcmkqbartmuW8VFOOzCloLx9Q45P0hLrFu" });
    const target = "/triggers/x?crc_token=9b4507b3-9040-4669-9ca3-6b94edb50553";
    expect(verification.greet({ method: "GET", target })).toMatchObject({
      body: '{"response_token":"sha256=Cytd4Sq+NvEcV3MMrXxWJGJx5A+y/lXzzU2Maartkx8="}',
    });
  });

  it("responds 200 to events, because X repeats an event after any other status", () => {
    expect(schemes.twitter({ secret: textSecret }).reply).toEqual({ accepted: {}, held: {} });
  });
});

describe("linear", () => {
  it("agrees with Linear's own library on the event of its tests", () => {
    const { secret, time, signature, body } = acceptedByLinear;
    const check = (sent: string, headers = { "linear-signature": signature }, at = time + minute) =>
      instant(schemes.linear)({ secret: atLeast16Bytes(secret) }).check(requestOf(headers, utf8(sent), at));
    expect(check(body)).toBeNull();
    expect(check(body, undefined, time + 6 * minute)).toMatchObject({ kind: "expired" });
    for (const fault of [check(`${body} `), check(body, { "linear-signature": signature.replace("8", "9") })])
      expect(fault).toMatchObject({ kind: "mismatch" });
  });
});

describe("zoom", () => {
  it("agrees with Zoom's own library on the examples of its documentation", () => {
    const { secret, time, signature, body, plainToken, encryptedToken } = acceptedByZoom;
    const zoom = instant(schemes.zoom)({ secret });
    const headers = { "x-zm-request-timestamp": `${time}`, "x-zm-signature": signature };
    const check = (sent: string, changed = {}) =>
      zoom.check(requestOf({ ...headers, ...changed }, utf8(sent), (time + 60) * 1000));
    expect(check(body)).toBeNull();
    for (const fault of [check(`${body} `), check(body, { "x-zm-request-timestamp": `${time + 1}` })])
      expect(fault).toMatchObject({ kind: "mismatch" });
    const validation = { payload: { plainToken }, event_ts: 1654503849680, event: "endpoint.url_validation" };
    const message = utf8(JSON.stringify(validation));
    const signed = zoom.sign(requestOf({}, message)) ?? {};
    expect(zoom.answer(validation, requestOf({ ...signed }, message))).toMatchObject({
      status: 200,
      body: JSON.stringify({ plainToken, encryptedToken }),
    });
  });

  it("answers the URL validation with the token, signed with the secret that signed the request", async () => {
    const sender = senders.find(({ name }) => name === "zoom");
    const validation = { event: "endpoint.url_validation", payload: { plainToken: "qgg8vlvZRS6UYooatFL8Aw" } };
    const body = utf8(JSON.stringify(validation));
    for (const secret of [textSecret, other]) {
      const request = requestOf({ ...(await sender?.sign({ body, at: now, secret })) }, body);
      expect(schemes.zoom({ secret: [textSecret, other] }).answer(validation, request)).toEqual({
        status: 200,
        contentType: "application/json",
        body: JSON.stringify({
          plainToken: "qgg8vlvZRS6UYooatFL8Aw",
          encryptedToken: createHmac("sha256", secret).update("qgg8vlvZRS6UYooatFL8Aw").digest("hex"),
        }),
      });
    }
    for (const event of [
      null,
      [],
      { event: "meeting.started" },
      { ...validation, payload: {} },
      { ...validation, payload: null },
    ])
      expect(schemes.zoom({ secret: textSecret }).answer(event, requestOf({}, body))).toBeNull();
  });
});

describe("discord", () => {
  it("agrees with Discord's own library", async () => {
    const sender = senders.find(({ name }) => name === "discord");
    const body = utf8('{"version":1,"type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}');
    for (const secret of [discordKeys.secret, discordKeys.otherSecret]) {
      const headers: Record<string, string> = { ...(await sender?.sign({ body, at: now, secret })) };
      const isGenuine = await verifyKey(
        body,
        headers["x-signature-ed25519"] ?? "",
        headers["x-signature-timestamp"] ?? "",
        discordKeys.secret,
      );
      const fault = discord({ publicKey: discordKeys.secret }).check(requestOf(headers, body));
      expect([isGenuine, fault === null]).toEqual(Array(2).fill(secret === discordKeys.secret));
    }
  });

  it("answers both kinds of PING, and no event", () => {
    const { answer } = schemes.discord({ publicKey: discordKeys.secret });
    const answerTo = (body: unknown) => answer(body, requestOf({}, utf8("")));
    expect(answerTo({ version: 1, application_id: "1", type: 0 })).toEqual({
      status: 204,
      contentType: null,
      body: "",
    });
    expect(answerTo({ type: 1, id: "1", token: "a" })).toMatchObject({ status: 200, body: '{"type":1}' });
    for (const body of [{ type: 1, event: {} }, { type: 2, data: {} }, null, [], { type: "0" }])
      expect(answerTo(body)).toBeNull();
  });

  it.each([undefined, "", "abc", "z".repeat(64), ` ${discordKeys.secret}`])(
    "reports the public key %j",
    (publicKey) => {
      expect(schemes.discord({ publicKey }).secretProblem).toMatchObject({ subject: "publicKey" });
    },
  );
});

describe("sendgrid", () => {
  // From the tests of @sendgrid/eventwebhook.
  const published = {
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==",
    otherKey:
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqTxd43gyp8IOEto2LdIfjRQrIbsd4SXZkLW6jDutdhXSJCWHw8REntlo7aNDthvj+y7GjUuFDb/R1NGe1OPzpA==",
    signature: "MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=",
    time: "1588788367",
    body: '{"category":"example_payload","event":"test_event","message_id":"message_id"}',
  };
  const headers = {
    "x-twilio-email-event-webhook-signature": published.signature,
    "x-twilio-email-event-webhook-timestamp": published.time,
  };
  const check = (publicKey: string, body: string, changed = {}) =>
    sendgrid({ publicKey }).check(
      requestOf({ ...headers, ...changed }, utf8(body), Number(published.time) * 1000 + minute),
    );

  it("accepts the example of its own library, and nothing else", () => {
    expect(check(published.key, published.body)).toBeNull();
    expect(check(published.otherKey, published.body)?.kind).toBe("mismatch");
    expect(check(published.key, "payload")?.kind).toBe("mismatch");
    expect(check(published.key, published.body, { "x-twilio-email-event-webhook-timestamp": "timestamp" })?.kind).toBe(
      "mismatch",
    );
    const changed = published.signature.replace("NH2j", "NH3j");
    expect(check(published.key, published.body, { "x-twilio-email-event-webhook-signature": changed })?.kind).toBe(
      "mismatch",
    );
  });

  it.each(["", "not base64!", "AAAA", discordKeys.secret])("reports the public key %j", (publicKey) => {
    expect(sendgrid({ publicKey }).secretProblem).toMatchObject({ subject: "publicKey" });
  });
});

describe("square", () => {
  it("accepts the example of its own library, for that URL only", () => {
    const { secret, url, body, signature } = publishedSquare;
    const headers = { "x-square-hmacsha256-signature": signature };
    expect(square({ secret }).check(requestOf(headers, utf8(body), now, { url }))).toBeNull();
    expect(square({ secret, url }).check(requestOf(headers, utf8(body), now, { url: null }))).toBeNull();
    expect(square({ secret, url: publicUrl }).check(requestOf(headers, utf8(body), now, { url }))?.kind).toBe(
      "mismatch",
    );
    expect(square({ secret }).check(requestOf(headers, utf8(`${body}\n`), now, { url }))?.kind).toBe("mismatch");
    expect(square({ secret: "MCmhFRxGX82xMwg5FsaoQA" }).check(requestOf(headers, utf8(body), now, { url }))?.kind).toBe(
      "mismatch",
    );
  });
});

describe("shopify", () => {
  it.each(publishedShopify)("accepts the example of its own libraries with the secret $secret", (published) => {
    const { body, signature } = published;
    const secret = atLeast16Bytes(published.secret);
    const check = (sent: string, given: schemes.Secret = secret) =>
      instant(schemes.shopify)({ secret: given }).check(requestOf({ "x-shopify-hmac-sha256": signature }, utf8(sent)));
    expect(check(body)).toBeNull();
    expect(check(body, [textSecret, secret])).toBeNull();
    for (const fault of [check(`${body} `), check(body, textSecret)]) expect(fault).toMatchObject({ kind: "mismatch" });
  });
});

const signHubspot = (signed: string) => ({
  "x-hubspot-request-timestamp": `${now}`,
  "x-hubspot-signature-v3": createHmac("sha256", textSecret).update(`POST${signed}{}${now}`).digest("base64"),
});

describe("hubspot", () => {
  it("accepts the example of its own library, and nothing else", () => {
    const { secret, url, body, time, signature } = publishedHubspot;
    const headers = { "x-hubspot-request-timestamp": `${time}`, "x-hubspot-signature-v3": signature };
    const check = (sent: string, { at = url, method = "POST", now: received = time } = {}) =>
      schemes.hubspot({ secret }).check(requestOf(headers, utf8(sent), received, { url: at, method }));
    expect(check(body)).toBeNull();
    expect(check(`${body} `)).toMatchObject({ kind: "mismatch" });
    expect(check(body, { at: `${url}/` })).toMatchObject({ kind: "mismatch" });
    expect(check(body, { method: "PUT" })).toMatchObject({ kind: "mismatch" });
    expect(check(body, { now: time + 6 * minute })).toMatchObject({ kind: "expired" });
  });

  it("accepts the URL with the escapes that HubSpot decodes, and as its libraries sign it", () => {
    const url = "https://hooks.example.com/triggers/crm?a=%3A%2f%20b";
    const check = (signed: string) =>
      schemes.hubspot({ secret: textSecret }).check(requestOf(signHubspot(signed), utf8("{}"), now, { url }));
    expect(check(url)).toBeNull();
    expect(check("https://hooks.example.com/triggers/crm?a=:/%20b")).toBeNull();
    expect(check("https://hooks.example.com/triggers/crm?a=:/ b")).toMatchObject({ kind: "mismatch" });
  });
});

const bodiesOf = ({ bodies }: schemes.Verification) => bodies;

it("the senders of forms imply the formats of their bodies", () => {
  expect(bodiesOf(schemes.github({ secret: textSecret }))).toEqual(["json", { type: "form", field: "payload" }]);
  expect(bodiesOf(twilio({ secret: textSecret }))).toEqual(["form", "json"]);
  expect(bodiesOf(mailgun({ secret: textSecret }))).toEqual(["json", "form", "multipart"]);
  expect(bodiesOf(schemes.stripe({ secret: textSecret }))).toEqual(["json"]);
  expect(bodiesOf(schemes.slack({ secret: textSecret }))).toBeNull();
});
