import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDestination } from "./request-path.ts";

describe("findDestination", () => {
  test.each([
    ["/triggers", "ingest"],
    ["/triggers/", "ingest"],
    ["/triggers/signup?token=a//b", "ingest"],
    ["/triggers//signup", "ingest"],
    ["/triggers/%zz", "ingest"],
    ["/triggers/../x", "ingest"],
    ["/triggers?token=a", "ingest"],
    ["/api/v1/runs", "rest"],
    ["/api/v1/runs/run%5F1?wait=30", "rest"],
    ["/healthz", "rest"],
    ["/readyz?x", "rest"],
    ["/metrics", "rest"],
    ["/", "pages"],
    ["/?from=a//b%zz\\", "pages"],
    ["/api/trpc/runs.list?batch=1", "trpc"],
    ["/api/trpc", "trpc"],
    ["/api/trpcs/x", "pages"],
    ["/runs/a%2Fb", "pages"],
    ["/triggersx", "pages"],
    ["/healthz/x", "pages"],
  ])("sends %s to %s as it is", (target, to) => {
    expect(findDestination(target)).toEqual({ to, target });
  });

  test.each([
    ["http://evil.example/triggers/signup?x=1", { to: "ingest", target: "/triggers/signup?x=1" }],
    ["HTTPS://evil.example:99/", { to: "pages", target: "/" }],
    ["http://evil.example", { to: "pages", target: "/" }],
    ["http://evil.example?x", { to: "pages", target: "/?x" }],
    ["http://user:pass@evil.example/healthz", { to: "rest", target: "/healthz" }],
  ])("reduces %s to its path", (target, destination) => {
    expect(findDestination(target)).toEqual(destination);
  });

  test.each([
    "//triggers/x",
    "//evil.example/",
    "/a//b",
    "/a\\b",
    "/\\evil.example",
    "/%74riggers/x",
    "/a/../triggers/x",
    "/./triggers/x",
    "/a/%2e%2e/triggers/x",
    "/triggers%2Fsignup",
    "/%2ftriggers",
    "/a%5Cb",
    "/%5c%5cevil.example",
    "/a%00b",
  ])("rejects %s as not found", (target) => {
    expect(findDestination(target)).toMatchObject({ to: "rejection", code: "not_found" });
  });

  test.each(["/%zz", "/a%", "/%ff", "*", "", "triggers/x", "/a#b", "mailto:x"])(
    "rejects %j as unreadable",
    (target) => {
      expect(findDestination(target)).toMatchObject({ to: "rejection", code: "invalid_path" });
    },
  );

  test("every target that normalizes to /triggers is a webhook or rejected: never passed to the API or a page", () => {
    const piece = fc.constantFrom(
      "/",
      "//",
      "\\",
      ".",
      "..",
      "triggers",
      "%74riggers",
      "trigger%73",
      "%2F",
      "%2f",
      "%5C",
      "%2e%2e",
      "a",
      "signup",
      "%25",
      "%",
      "?x",
      "#",
    );
    const seen = { ours: 0 };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const destination = findDestination(`/${pieces.join("")}`);
        const path = tidyPath(pieces.join(""));
        const isTriggers = path === "/triggers" || path.startsWith("/triggers/");
        seen.ours += isTriggers ? 1 : 0;
        expect(isTriggers && ["rest", "trpc", "pages"].includes(destination.to)).toBe(false);
      }),
      { numRuns: 5000 },
    );
    expect(seen.ours).toBeGreaterThan(100);
  });
});

/** The path according to the WHATWG URL parser and one decoding. */
function tidyPath(pieces: string): string {
  const { pathname } = new URL(`http://host/${pieces.replace(/^[/\\]+/, "")}`);
  try {
    return new URL(`http://host${decodeURIComponent(pathname).replaceAll(/[/\\]{2,}/g, "/")}`).pathname;
  } catch {
    return pathname;
  }
}
