import { createTRPCClient, httpBatchLink, TRPCClientError } from "@trpc/client";
import { describe, expect, it } from "vitest";
import type { AppRouter } from "../../server/trpc/router.ts";
import { problemOf, describeProblem } from "./problem-of.ts";

const problem = {
  type: "/errors/not_found",
  title: "Not found",
  status: 404,
  code: "not_found",
  detail: "No run run_x.",
  errors: [{ pointer: "/a", code: "c", message: "m" }],
};

const answered = (code: string) =>
  new TRPCClientError<AppRouter>("No run run_x.", {
    result: {
      error: {
        code: -32_004,
        message: "No run run_x.",
        data: { code: "NOT_FOUND", httpStatus: 404, path: "runs.get", problem: { ...problem, code } },
      },
    },
  });

describe("the description of a failed call", () => {
  it("is the problem of the server, with a link to the page of its code", () => {
    expect(problemOf(answered("not_found"))).toEqual({
      code: "not_found",
      title: problem.title,
      detail: problem.detail,
      errors: problem.errors,
      link: { href: "/errors/not_found", label: "About this error" },
    });
  });

  it("links to the sign-in when the session has ended", () => {
    expect(problemOf(answered("unauthorized")).link).toEqual({ href: "", label: "Sign in" });
  });

  it("distinguishes an unreachable server from a response of a proxy", () => {
    expect(problemOf(TRPCClientError.from(new TypeError("Failed to fetch"))).code).toBe("unreachable");
    expect(problemOf(TRPCClientError.from(new SyntaxError("Unexpected token <"))).code).toBe("unreadable_answer");
  });

  it("is the problem that the receiver sends while web restarts, which is no response of a procedure", async () => {
    const restarting = { ...problem, code: "web_unavailable", title: "Pages and API unavailable" };
    const client = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({ url: "http://localhost", fetch: async () => Response.json(restarting, { status: 503 }) }),
      ],
    });
    const error = await client.runs.get.query({ id: "run_x" }).catch((cause: unknown) => cause);
    expect(problemOf(error)).toMatchObject({
      code: "web_unavailable",
      title: restarting.title,
      detail: problem.detail,
      link: { href: "/errors/web_unavailable" },
    });
  });

  it("has a one-line form with title and detail", () => {
    expect(describeProblem(TRPCClientError.from(new TypeError("Failed to fetch")))).toBe(
      "Server not reachable. The server may be restarting, or the network is down. Try again in a moment.",
    );
  });

  it("exists for every thrown value", () => {
    expect(problemOf("a string")).toMatchObject({ code: "page_error", detail: "a string" });
    expect(problemOf(new Error("boom")).detail).toBe("boom");
  });
});
