import { TRPCClientError } from "@trpc/client";
import type { Problem, ProblemError } from "../../server/contract/problem.ts";
import type { AppRouter } from "../../server/trpc/router.ts";

/** A failed call in words, with where to go from here. */
export interface ProblemWords {
  code: string;
  title: string;
  detail: string;
  errors: readonly ProblemError[];
  /** An empty `href` is the page that one is on, read again. */
  wayOut: { href: string; label: string } | null;
}

/**
 * What went wrong, whatever was thrown: the service's own problem, a service that does not answer, or a bug of the
 * page.
 */
export function problemOf(error: unknown): ProblemWords {
  if (!isCallError(error))
    return {
      code: "page_error",
      title: "This page made a mistake",
      detail: messageOf(error),
      errors: [],
      wayOut: null,
    };
  const problem = error.data?.problem;
  if (problem) return problemWords(problem);
  if (error.cause instanceof SyntaxError) {
    return {
      code: "unreadable_answer",
      title: "The answer did not come from Signalbox",
      detail: "Something between this page and the service answered in its place, e.g. a proxy.",
      errors: [],
      wayOut: null,
    };
  }
  return {
    code: "unreachable",
    title: "The service does not answer",
    detail: "It may be restarting, or the network is down.",
    errors: [],
    wayOut: null,
  };
}

/** A problem that the service answered, in words. */
export function problemWords({ code, title, detail, errors = [] }: Problem): ProblemWords {
  return { code, title, detail, errors, wayOut: wayOutOf(code) };
}

/** The same in one line, for where there is no room for a way out. */
export function sayProblem(error: unknown): string {
  const { title, detail } = problemOf(error);
  return detail === title ? `${title}.` : `${title}. ${detail}`;
}

function isCallError(error: unknown): error is TRPCClientError<AppRouter> {
  return error instanceof TRPCClientError;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function wayOutOf(code: string): ProblemWords["wayOut"] {
  // This very page, read again: it asks for a token, and comes back as it was.
  if (code === "unauthorized") return { href: "", label: "Sign in" };
  return { href: `/errors/${encodeURIComponent(code)}`, label: "What this means" };
}
