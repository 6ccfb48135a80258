import { TRPCClientError } from "@trpc/client";
import type { Problem, ProblemError } from "../../server/contract/problem.ts";
import type { AppRouter } from "../../server/trpc/router.ts";

/** A failed call as text, with a link that helps. */
export interface ProblemText {
  code: string;
  title: string;
  detail: string;
  errors: readonly ProblemError[];
  /** An empty `href` reloads the current page. */
  link: { href: string; label: string } | null;
}

/** Describes any thrown value: a problem from the server, an unreachable server, or a bug of the page. */
export function problemOf(error: unknown): ProblemText {
  if (!isCallError(error))
    return {
      code: "page_error",
      title: "Something went wrong",
      detail: messageOf(error),
      errors: [],
      link: null,
    };
  const problem = error.data?.problem ?? problemOfResponse(error.meta?.["responseJSON"]);
  if (problem) return problemText(problem);
  if (error.cause instanceof SyntaxError) {
    return {
      code: "unreadable_answer",
      title: "Unexpected response",
      detail: "The response did not come from Signalbox. A proxy between this page and the server may have sent it.",
      errors: [],
      link: null,
    };
  }
  return {
    code: "unreachable",
    title: "Server not reachable",
    detail: "The server may be restarting, or the network is down. Try again in a moment.",
    errors: [],
    link: null,
  };
}

/** A problem from the server as text. */
export function problemText({ code, title, detail, errors = [] }: Problem): ProblemText {
  return { code, title, detail, errors, link: linkOf(code) };
}

/** The same in one line, without the link. */
export function describeProblem(error: unknown): string {
  const { title, detail } = problemOf(error);
  return detail === title ? `${title}.` : `${title}. ${detail}`;
}

function isCallError(error: unknown): error is TRPCClientError<AppRouter> {
  return error instanceof TRPCClientError;
}

/** What answers before the procedures do (the receiver while web restarts, a limit) sends the problem alone. */
function problemOfResponse(body: unknown): Problem | null {
  const fields = ["code", "title", "detail"] as const;
  const isProblem =
    typeof body === "object" &&
    body !== null &&
    fields.every((name) => typeof (body as Partial<Record<string, unknown>>)[name] === "string");
  return isProblem ? (body as Problem) : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function linkOf(code: string): ProblemText["link"] {
  // Reloading the current page leads to the sign-in, and back.
  if (code === "unauthorized") return { href: "", label: "Sign in" };
  return { href: `/errors/${encodeURIComponent(code)}`, label: "About this error" };
}
