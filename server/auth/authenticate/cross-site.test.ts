import { describe, expect, it } from "vitest";
import { rejectCrossSite, rejectForeignOrigin } from "./cross-site.ts";

const rejected = (headers: Record<string, string>) => {
  const request = new Request("http://127.0.0.1:3002/api/v1/runs", { headers });
  try {
    rejectCrossSite(request);
    return false;
  } catch {
    return true;
  }
};

describe("the open API of development", () => {
  it.each([
    ["a command line tool", {}],
    ["a page of its own", { host: "localhost:3002", "sec-fetch-site": "same-origin", origin: "http://localhost:3002" }],
    ["an address typed into a browser", { host: "127.0.0.1:3002", "sec-fetch-site": "none" }],
    ["a page reached by IPv6", { host: "[::1]:3002", origin: "http://[::1]:3002" }],
  ])("answers %s", (_, headers) => {
    expect(rejected(headers)).toBe(false);
  });

  it.each([
    ["a page of another site", { host: "localhost:3002", "sec-fetch-site": "cross-site" }],
    [
      "a page of a neighbour on the same machine",
      { host: "localhost:3002", "sec-fetch-site": "same-site", origin: "http://localhost:8080" },
    ],
    ["a browser that tells only the origin", { host: "localhost:3002", origin: "https://evil.example" }],
    ["a page without an origin of its own", { host: "localhost:3002", origin: "null" }],
  ])("rejects %s", (_, headers) => {
    expect(rejected(headers)).toBe(true);
  });
});

function rejectedPost(headers: Record<string, string>, ownHost: string | null = null): boolean {
  try {
    rejectForeignOrigin(new Request("http://10.0.0.5:3000/api/trpc/runs.cancel", { method: "POST", headers }), ownHost);
    return false;
  } catch {
    return true;
  }
}

describe("a signed-in browser", () => {
  it("acts from our own pages only", () => {
    expect(
      rejectedPost({ host: "hooks.example.com", origin: "https://hooks.example.com", "sec-fetch-site": "same-origin" }),
    ).toBe(false);
    expect(
      rejectedPost({ host: "hooks.example.com", origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
    ).toBe(true);
    expect(
      rejectedPost({ host: "hooks.example.com", origin: "https://other.example.com", "sec-fetch-site": "same-site" }),
    ).toBe(true);
    expect(rejectedPost({ host: "hooks.example.com", origin: "null" })).toBe(true);
  });

  it("acts through a proxy that sends another Host, if the base URL has the name", () => {
    const headers = { host: "10.0.0.5:3000", origin: "https://hooks.example.com", "sec-fetch-site": "same-origin" };
    expect(rejectedPost(headers)).toBe(true);
    expect(rejectedPost(headers, "hooks.example.com")).toBe(false);
  });
});
