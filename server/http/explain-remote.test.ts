import { expect, it } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import { explainRemote } from "./explain-remote.ts";

it("says in the response and in the log why a request of this machine needs a key", () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void logged.push(line) };
  const explain = (body: string, p: Parameters<typeof explainRemote>[2]) => explainRemote(logger, body, p);
  const problem = { type: "t", title: "t", status: 401, code: "unauthorized", detail: "Send a valid key." };
  const reason = "this one is in HTTP/1.0, which proxies use";
  expect(JSON.parse(explain(JSON.stringify(problem), { reason, path: "/triggers/a" }))).toEqual({
    ...problem,
    detail: `Send a valid key. In development, requests of this machine need no key, but ${reason}.`,
  });
  expect(logged).toEqual([
    [
      "rejected: requests of this machine need no key in development, but this one does",
      { reason, path: "/triggers/a" },
    ],
  ]);
  const other = JSON.stringify({ ...problem, code: "invalid_signature" });
  expect(explain(other, { reason, path: "/" })).toBe(other);
  expect(explain("", { reason, path: "/" })).toBe("");
});
