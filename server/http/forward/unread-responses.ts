import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "../connections.ts";
import { AppError } from "../../contract/app-error.ts";
import { formatBytes } from "../../shared/format.ts";

/** Bytes of responses that one client has requested and not read. A response that is larger is sent if it is alone. */
const maxUnreadBytes = 64 * 1024 * 1024;

/**
 * Responses wait in memory until their client reads them. Returns a function that registers one, and throws AppError
 * `rate_limited` if its client has too much to read. A client is its network and its credentials, so an anonymous one
 * cannot use up what others may have.
 */
export function createUnreadLimit(
  maxBytes = maxUnreadBytes,
): (request: IncomingMessage, response: ServerResponse, address: string | null) => void {
  const inProgress = new Map<string, Set<ServerResponse>>();
  return ({ headers }, response, address) => {
    const given = headers.authorization ?? headers["x-api-key"] ?? headers.cookie;
    const client = `${networkOf(address ?? "")} ${String(given ?? "")}`;
    const others = inProgress.get(client) ?? new Set();
    const unread = [...others].reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (unread > maxBytes)
      throw new AppError(
        "rate_limited",
        `This client has ${formatBytes(unread)} of responses to read, and the limit is ${formatBytes(maxBytes)}. Read them first.`,
      );
    inProgress.set(client, others.add(response));
    response.once("close", () => {
      others.delete(response);
      if (others.size === 0) inProgress.delete(client);
    });
  };
}
