import { execFileSync } from "node:child_process";
import { sign as signWithKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import MessageValidator from "sns-validator";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { requestOf } from "../testing/senders.ts";
import * as schemes from "../index.ts";

const minute = 60_000;
const utf8 = (text: string) => Buffer.from(text);
/** Whether Amazon's own library accepts a message. */
const validate = (body: object) =>
  new Promise<boolean>((resolve) => new MessageValidator().validate({ ...body }, (error) => resolve(!error)));

describe("sns", () => {
  const topicArn = "arn:aws:sns:eu-west-1:123456789012:orders";
  const certificates = new Map<string, string>();
  const keys = new Map<string, string>();
  let loaded: string[] = [];

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-sns-"));
    const create = (name: string, subject: string) => {
      const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
      const options = ["-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", subject, "-keyout", key];
      execFileSync("openssl", ["req", "-x509", ...options, "-out", certificate], { stdio: "ignore" });
      certificates.set(name, readFileSync(certificate, "utf8"));
      keys.set(name, readFileSync(key, "utf8"));
    };
    create("sns", "/CN=sns.amazonaws.com");
    create("other", "/CN=www.example.com");
    rmSync(folder, { recursive: true });
  });

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    loaded = [];
  });

  /** Serves a certificate for every URL. Nothing leaves this process. */
  function stubFetch(certificate = "sns", status = 200): void {
    vi.stubGlobal("fetch", async (url: string | URL) => {
      loaded.push(String(url));
      return new Response(certificates.get(certificate) ?? certificate, { status });
    });
  }

  let messages = 0;
  /** Each message has its own certificate URL, because certificates are kept. */
  function message(changed: Record<string, unknown> = {}, signing: { key?: string; version?: "1" | "2" } = {}) {
    messages += 1;
    const version = signing.version ?? "2";
    const unsigned: Record<string, unknown> = {
      Type: "Notification",
      MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
      TopicArn: topicArn,
      Subject: "My First Message",
      Message: "Größe 😀\n",
      Timestamp: new Date().toISOString(),
      SignatureVersion: version,
      SigningCertURL: `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${messages}.pem`,
      ...changed,
    };
    const fields =
      unsigned["Type"] === "Notification"
        ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
        : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
    const content = fields
      .filter((field) => unsigned[field] !== undefined)
      .map((field) => `${field}\n${String(unsigned[field])}\n`)
      .join("");
    const hash = version === "1" ? "sha1" : "sha256";
    return {
      Signature: signWithKey(hash, utf8(content), keys.get(signing.key ?? "sns") ?? "").toString("base64"),
      ...unsigned,
    };
  }

  const check = async (body: unknown, options: Partial<schemes.SnsOptions> = {}, at = Date.now()) =>
    schemes.sns({ topicArn, ...options }).check(requestOf({}, utf8(JSON.stringify(body)), at));

  it.each(["1", "2"] as const)(
    "accepts messages with signatures of version %s, as Amazon's library does",
    async (version) => {
      stubFetch();
      const sent = message({}, { version });
      expect(await check(sent)).toBeNull();
      expect(loaded).toEqual([sent["SigningCertURL" as never]]);
      vi.spyOn(https, "get").mockImplementation(((_: unknown, respond: (response: unknown) => void) => {
        const response = {
          statusCode: 200,
          on(event: string, listener: (chunk?: Buffer) => void) {
            if (event === "data") listener(utf8(certificates.get("sns") ?? ""));
            if (event === "end") listener();
            return response;
          },
        };
        respond(response);
        return { on: () => {} };
      }) as never);
      expect(await validate(sent)).toBe(true);
      const forged = { ...sent, Message: "other" };
      expect([await validate(forged), (await check(forged))?.kind]).toEqual([false, "mismatch"]);
    },
  );

  it("loads a certificate once, also for concurrent messages", async () => {
    stubFetch();
    const SigningCertURL = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-shared.pem";
    const sent = [1, 2, 3].map((id) => message({ MessageId: `${id}`, SigningCertURL }));
    expect(await Promise.all(sent.map((one) => check(one)))).toEqual([null, null, null]);
    expect(loaded).toEqual([SigningCertURL]);
  });

  it.each([
    "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem",
    "https://evil.example/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-1.pem",
    "https://a:b@sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com/?Action=Publish&x=.pem",
    "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem?x=1",
    "https://bucket.s3.amazonaws.com/SimpleNotificationService-1.pem",
    "https://sns.eu-west-1.amazonaws.com/%2e%2e/x.pem",
    "not a URL",
    7,
    undefined,
  ])("does not load a certificate from %j", async (SigningCertURL) => {
    stubFetch();
    expect((await check(message({ SigningCertURL })))?.kind).toBe("malformed");
    expect(loaded).toEqual([]);
  });

  it.each([
    ["another topic", { TopicArn: "arn:aws:sns:eu-west-1:999999999999:orders" }, "mismatch"],
    ["another version", { SignatureVersion: "3" }, "malformed"],
    ["no signature", { Signature: undefined }, "unsigned"],
    ["an empty signature", { Signature: "" }, "malformed"],
    ["no time", { Timestamp: undefined }, "malformed"],
    ["an unreadable time", { Timestamp: "yesterday" }, "malformed"],
    ["an old time", { Timestamp: new Date(Date.now() - 61 * minute).toISOString() }, "expired"],
    ["a future time", { Timestamp: new Date(Date.now() + 61 * minute).toISOString() }, "expired"],
    ["an object as message", { Message: { a: 1 } }, "malformed"],
  ])("rejects %s", async (_, changed, kind) => {
    stubFetch();
    expect((await check(message(changed)))?.kind).toBe(kind);
  });

  it("rejects a message that is signed with another key, or by a certificate of another service", async () => {
    stubFetch();
    expect((await check(message({}, { key: "other" })))?.kind).toBe("mismatch");
    stubFetch("other");
    expect(await check(message({}, { key: "other" }))).toEqual({
      kind: "mismatch",
      detail: "The certificate of the message belongs to another service (sns).",
    });
  });

  it("rejects a message while its certificate has expired", async () => {
    stubFetch();
    const at = Date.now() + 31 * 86_400_000;
    expect((await check(message({ Timestamp: new Date(at).toISOString() }), {}, at))?.detail).toContain("has expired");
  });

  it("reports a certificate that cannot be loaded as a failed check, and tries again for the next message", async () => {
    const sent = message();
    stubFetch("sns", 503);
    expect(await check(sent)).toEqual({
      kind: "failed",
      detail: "The certificate of the sender could not be loaded: the answer has status 503 (sns)",
    });
    vi.stubGlobal("fetch", () => Promise.reject(new Error("no route")));
    expect(await check(sent)).toMatchObject({ kind: "failed", detail: expect.stringContaining("no route") });
    stubFetch("no certificate");
    expect((await check(sent))?.kind).toBe("failed");
    stubFetch();
    expect(await check(sent)).toBeNull();
  });

  const confirmation = (SubscribeURL: string) =>
    message({ Type: "SubscriptionConfirmation", Token: "2336412f37", SubscribeURL, Subject: undefined });
  const subscribeUrl = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=2336412f37`;
  const answer = async (body: object, confirmSubscriptions?: boolean) =>
    schemes
      .sns({ topicArn, ...(confirmSubscriptions !== undefined && { confirmSubscriptions }) })
      .answer(body, requestOf({}, utf8("")));

  it("confirms a subscription only if the project wants it, and only on a host of SNS", async () => {
    stubFetch();
    expect(await check(confirmation(subscribeUrl))).toBeNull();
    loaded = [];
    const skipped = { status: 200, contentType: "application/json", body: '{"ok":true,"skipped":true}' };
    expect(await answer(confirmation(subscribeUrl))).toEqual(skipped);
    expect(await answer({ ...confirmation(subscribeUrl), Type: "UnsubscribeConfirmation" }, true)).toEqual(skipped);
    expect(loaded).toEqual([]);
    expect(await answer(confirmation(subscribeUrl), true)).toEqual(skipped);
    expect(loaded).toEqual([subscribeUrl]);
    for (const url of [
      "https://evil.example/?Action=ConfirmSubscription",
      subscribeUrl.replace("ConfirmSubscription", "DeleteTopic"),
      subscribeUrl.replace(topicArn, `${topicArn}-2`),
      subscribeUrl.replace("https", "http"),
    ])
      await expect(answer(confirmation(url), true)).rejects.toThrow("does not confirm a subscription");
    expect(loaded).toEqual([subscribeUrl]);
    expect(await answer(message(), true)).toBeNull();
    stubFetch("", 500);
    await expect(answer(confirmation(subscribeUrl), true)).rejects.toThrow("status 500");
  });

  it("needs a topic: Amazon signs the messages of all accounts", async () => {
    expect(schemes.sns({ topicArn: undefined }).secretProblem).toMatchObject({ subject: "topicArn", kind: "missing" });
    expect(schemes.sns({ topicArn: "orders" }).secretProblem).toMatchObject({ words: "is not the ARN of a topic" });
    stubFetch();
    const both = { topicArn: [topicArn, "arn:aws-cn:sns:cn-north-1:123456789012:x.fifo"] };
    expect(await check(message(), both)).toBeNull();
  });
});
