import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseNextPage } from "./next-page.ts";

it.each([
  ["/runs/run_1?replay=edit", "/runs/run_1?replay=edit"],
  ["/?node=trigger%3Ainvoice-paid", "/?node=trigger%3Ainvoice-paid"],
  ["/runs/../deliveries", "/deliveries"],
  ["/%09/evil.test", "/%09/evil.test"],
  ["/%5Cevil.test", "/%5Cevil.test"],
])("opens the page %s of this service as %s", (next, page) => expect(parseNextPage(next)).toBe(page));

it.each([
  "/\t/evil.test",
  "/\n/evil.test",
  "/\r/evil.test",
  "/\r\n/evil.test",
  "\t//evil.test",
  " //evil.test",
  "//evil.test",
  "///evil.test",
  "/\\evil.test",
  "\\\\evil.test",
  "/.//evil.test",
  "/..//evil.test",
  "/a/..//evil.test",
  "/\t.//evil.test",
  "/\u0000/evil.test",
  "https://evil.test/",
  "javascript:alert(1)",
  "runs",
  "/sign-in?next=/runs",
  "/./sign-in",
  `/${"a".repeat(4_000)}`,
  "",
  null,
  undefined,
])("opens the start page instead of %j", (next) => expect(parseNextPage(next)).toBe("/"));

it("every string leads to a path of this service, in every browser's reading", () => {
  const part = fc.constantFrom(
    "/",
    "//",
    "\\",
    "\t",
    "\n",
    "\r",
    " ",
    "\u0000",
    ".",
    "..",
    "%09",
    "%0a",
    "%0D",
    "%2f",
    "%5C",
    "@",
    ":",
    "?",
    "#",
    "evil.test",
    "https:",
    "javascript:",
    "sign-in",
    "[",
    "%",
    "\u3002",
    "\ud800",
  );
  const next = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 8 }).map((parts) => `/${parts.join("")}`),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(next, (text) => {
      const page = parseNextPage(text);
      const url = new URL(page, "https://hooks.example.com");
      expect(page.startsWith("/")).toBe(true);
      expect(url.origin).toBe("https://hooks.example.com");
      // What a browser resolves is what was parsed: nothing was left for it to interpret.
      expect(url.pathname + url.search).toBe(page);
      expect(parseNextPage(page)).toBe(page);
    }),
    { numRuns: 5_000 },
  );
});
