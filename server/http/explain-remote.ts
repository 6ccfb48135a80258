import { problemSchema } from "../contract/problem.ts";
import { type Logger, createThrottledLog } from "../ports/logger.ts";

/**
 * In development, requests of this machine need no key. Says why another one does, in the log and in the body of its
 * 401: otherwise a person behind their own proxy or tunnel cannot know. `reason`: see `findRemoteReason`.
 */
export function createRemoteExplainer(logger: Logger): (body: string, p: { reason: string; path: string }) => string {
  const log = createThrottledLog((message, fields) => logger.warn(message, fields));
  return (body, { reason, path }) => {
    // The response to HEAD has no body.
    const problem = problemSchema.safeParse(body === "" ? null : JSON.parse(body));
    if (problem.data?.code !== "unauthorized") return body;
    log("rejected: requests of this machine need no key in development, but this one does", {
      reason,
      path: path.slice(0, 200),
    });
    const detail = `${problem.data.detail} In development, requests of this machine need no key, but ${reason}.`;
    return JSON.stringify({ ...problem.data, detail });
  };
}
