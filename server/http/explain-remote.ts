import { problemSchema } from "../contract/problem.ts";
import type { Logger } from "../ports/logger.ts";

/**
 * In development, requests of this machine need no key. Returns the body of the 401 for another one, with the reason
 * (`findRemoteReason`), which it also logs: otherwise a person behind their own proxy or tunnel cannot know.
 */
export function explainRemote(logger: Logger, body: string, p: { reason: string; path: string }): string {
  // The response to HEAD has no body.
  const problem = problemSchema.safeParse(body === "" ? null : JSON.parse(body));
  if (problem.data?.code !== "unauthorized") return body;
  const path = p.path.slice(0, 200);
  logger.warn("rejected: requests of this machine need no key in development, but this one does", { ...p, path });
  const detail = `${problem.data.detail} In development, requests of this machine need no key, but ${p.reason}.`;
  return JSON.stringify({ ...problem.data, detail });
}
