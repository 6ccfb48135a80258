import { describe, expect, it } from "vitest";
import { findRemoteReason, isReachableFromElsewhere } from "./local-request.ts";

const from = (peerAddress: string | undefined, ...rawHeaders: string[]) =>
  findRemoteReason({ peerAddress, httpVersion: "1.1", rawHeaders });

const because = (name: string) => `this one has the header ${name}, which proxies and tunnels add`;

describe("a request is local", () => {
  it.each(["127.0.0.1", "127.0.0.53", "::1", "::ffff:127.0.0.1", "::FFFF:127.0.0.1"])(
    "when it comes from %s",
    (peer) => {
      expect(from(peer, "Host", "localhost:3002")).toBeNull();
    },
  );

  it.each(["localhost", "LOCALHOST:3002", "app.localhost:3002", "127.0.0.1:3002", "127.1.2.3", "[::1]:3002", "[::1]"])(
    "when it asks for %s",
    (host) => {
      expect(from("127.0.0.1", "user-agent", "curl", "HOST", host)).toBeNull();
    },
  );
});

describe("a request is not local", () => {
  it.each([
    undefined,
    "",
    "192.168.1.5",
    "10.0.0.1",
    "::ffff:10.0.0.1",
    "fe80::1",
    "128.0.0.1",
    "127.0.0.1.evil.example",
    "1127.0.0.1",
  ])("when it comes from %s", (peer) => {
    expect(from(peer, "Host", "localhost:3002")).toBe("this one comes from another machine");
  });

  it.each([
    "dev.example.com",
    "evil.example:3002",
    "localhost.evil.example:3002",
    "127.0.0.1.evil.example",
    "evil.example#localhost",
    "localhost@evil.example",
    "notlocalhost",
    "192.168.1.5:3002",
    "0.0.0.0:3002",
    "[::]:3002",
    "[::1].evil.example",
    "",
    ":3002",
  ])("when it asks for %j", (host) => {
    expect(from("127.0.0.1", "Host", host)).toBe(`this one asks for the host "${host}"`);
  });

  it("when it is in HTTP/1.0, as those of a proxy that adds no header", () => {
    const rawHeaders = ["Host", "127.0.0.1:3002", "Connection", "close"];
    expect(findRemoteReason({ peerAddress: "127.0.0.1", httpVersion: "1.0", rawHeaders })).toBe(
      "this one is in HTTP/1.0, which proxies use",
    );
  });

  it("when it names no host, or two", () => {
    expect(from("127.0.0.1")).toMatch(/^this one asks for the host "/);
    expect(from("127.0.0.1", "x", "host")).toMatch(/^this one asks for the host "/);
    expect(from("127.0.0.1", "Host", "localhost", "host", "evil.example")).toMatch(/^this one asks for the host "/);
    expect(from("127.0.0.1", "Host", "localhost", "host", "localhost")).toMatch(/^this one asks for the host "/);
  });

  it.each([
    "Forwarded",
    "X-Forwarded-For",
    "x-forwarded-host",
    "X-FORWARDED-PROTO",
    "x-forwarded-server",
    "X-Forwarded",
    "Via",
    "X-Real-IP",
    "X-Client-IP",
    "Client-IP",
    "True-Client-IP",
    "Fly-Client-IP",
    "CF-Connecting-IP",
    "Cf-Ray",
    "cdn-loop",
    "X-Original-Host",
    "ngrok-skip-browser-warning",
    "Tailscale-User-Login",
  ])("when it was forwarded: %s", (name) => {
    expect(from("127.0.0.1", "Host", "localhost:3002", name, "x")).toBe(because(name));
    expect(from("127.0.0.1", name, "", "Host", "localhost:3002")).toBe(because(name));
  });

  it("headers of webhook senders do not mark a request as forwarded", () => {
    const names = [
      "x-github-event",
      "x-hub-signature-256",
      "webhook-id",
      "x-shopify-hmac-sha256",
      "stripe-signature",
      "x-request-id",
      "origin",
      "referer",
      "x-api-key",
    ];
    expect(from("127.0.0.1", "Host", "localhost", ...names.flatMap((name) => [name, "x"]))).toBeNull();
  });
});

describe("a service is reachable from elsewhere", () => {
  it.each([
    [{ host: "127.0.0.1", baseUrl: null }, false],
    [{ host: "::1", baseUrl: "http://localhost:3002" }, false],
    [{ host: "localhost", baseUrl: "http://[::1]:3002/" }, false],
    [{ host: "0.0.0.0", baseUrl: null }, true],
    [{ host: "::", baseUrl: null }, true],
    [{ host: "192.168.1.5", baseUrl: "http://localhost:3002" }, true],
    [{ host: "127.0.0.1", baseUrl: "https://dev.example.com" }, true],
    [{ host: "127.0.0.1", baseUrl: "http://192.168.1.5:3002" }, true],
  ])("%j: %s", (settings, expected) => {
    expect(isReachableFromElsewhere(settings)).toBe(expected);
  });
});
