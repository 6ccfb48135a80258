/**
 * The one table of error codes. Doors turn a code into an answer by this table and by nothing else.
 * `why` and `fix` are what `/errors/<code>` and docs/errors/<code>.md say.
 */
export interface ErrorCodeEntry {
  status: number;
  title: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** Where it is not: the side that must change something first. */
  changedBy: "sender" | "owner" | "either";
  why: string;
  fix: string;
}

const entry = (
  status: number,
  title: string,
  why: string,
  fix: string,
  retryable = false,
  changedBy: ErrorCodeEntry["changedBy"] = "sender",
): ErrorCodeEntry => ({
  status,
  title,
  retryable,
  changedBy,
  why,
  fix,
});

/** Whether it helps to send the same request again, in a sentence. */
export function resendAdvice({ retryable, changedBy }: ErrorCodeEntry): string {
  if (retryable) return "The same request may succeed later: send it again.";
  return {
    sender: "The same request will fail again: change it first.",
    owner: "The same request will fail again until the owner of this service has fixed the cause.",
    either:
      "The same request will fail again until the sender changes it, or the owner of this service changes the cause.",
  }[changedBy];
}

export const errorCodes = {
  unauthorized: entry(
    401,
    "A valid key is needed",
    "The request carried no key, or one that is unknown, expired or revoked. Where several keys are sent, each must be valid.",
    "Send the key as ?token=, ?api_key=, Authorization: Bearer or x-api-key. `signalbox triggers url <slug>` prints a URL that works; `signalbox keys create` makes a new key.",
    false,
    "either",
  ),
  invalid_signature: entry(
    401,
    "The signature does not hold",
    "The source of this endpoint takes only requests that its sender signed (`verify`), and this one's signature is missing, malformed, too old or too new, or was made with another secret or of other bytes.",
    "The detail says which. Compare the secret with the sender's; when both are equal, look for a proxy that changes bodies, and at the clock. The delivery is kept: redeliver it when the secret is mended.",
    false,
    "either",
  ),
  forbidden: entry(
    403,
    "This key may not do that",
    "The key is valid, but not for this: a webhook key reads only the runs that it started. In development, where no key is needed: a page of another site asked, or somebody by a name that is not this service's.",
    "Use an API token: `signalbox keys create --api`. In development ask localhost or an IP address; behind a tunnel set SIGNALBOX_BASE_URL to its address.",
    false,
    "either",
  ),
  unknown_endpoint: entry(
    404,
    "No trigger listens on this endpoint",
    "The path after /triggers/ must equal the endpoint of a trigger exactly: no trailing slash, no upper case, no escapes.",
    "`signalbox triggers list` shows the endpoints. If the trigger is new, build and deploy the project.",
    false,
    "either",
  ),
  not_found: entry(
    404,
    "There is no such thing here",
    "The id or the path is not known to this service. It may have been removed by retention.",
    "Check the id, and that you ask the service that has it.",
  ),
  method_not_allowed: entry(
    405,
    "This method is not allowed here",
    "Endpoints take POST only.",
    "Send the request as POST; the Allow header lists what is accepted.",
  ),
  invalid_path: entry(
    400,
    "The path cannot be read",
    "The path has a bad percent escape, or bytes that are not UTF-8.",
    "Send the endpoint as it is written in the trigger: letters, digits, hyphens and slashes need no escapes.",
  ),
  invalid_json: entry(
    400,
    "The body is not valid JSON",
    "The body could not be parsed as JSON in UTF-8, or it is nested deeper than 512 levels.",
    "The detail says line and column. Look at the delivery to see the body as it came.",
  ),
  incomplete_body: entry(
    400,
    "The body ended early",
    "The connection ended before the whole body had come.",
    "Send it again.",
    true,
  ),
  request_timeout: entry(
    408,
    "The request came too slowly",
    "The headers take 15 seconds at most, and the whole request a minute. It had not come by then.",
    "Send it again, over a better connection or in one piece.",
    true,
  ),
  unsupported_media_type: entry(
    415,
    "The body must be plain JSON",
    "Content-Type must be application/json or end in +json, in UTF-8, and the body must not be compressed.",
    "Send Content-Type: application/json and no Content-Encoding. At many senders this is a setting.",
  ),
  body_too_large: entry(
    413,
    "The body is too large",
    "The body is over the limit of this service (1 MiB unless configured).",
    "Send less, or raise maxBodyBytes in signalbox.config.ts (SIGNALBOX_MAX_BODY_BYTES).",
    false,
    "either",
  ),
  request_mismatch: entry(
    422,
    "The body does not match the trigger's request schema",
    "The endpoint has one trigger, and the body does not parse with its `request`.",
    "`errors` says where and why. `signalbox triggers test <slug> --data @body.json` checks a body without sending it. If the sender is right, change `request` in the trigger, then build and deploy. The delivery is kept: redeliver it afterwards.",
    false,
    "either",
  ),
  idempotency_conflict: entry(
    422,
    "This idempotency key was used with another body",
    "A request with the same Idempotency-Key or webhook-id, or the same value of the header that the source names in `dedupe`, was accepted on this endpoint in the last 24 hours (or the source's own `window`), and its body was different.",
    "Use a new key for a new event; send the very same bytes to repeat one. If different events of your sender have the same value, name another header or field in `dedupe`.",
    false,
    "either",
  ),
  invalid_input: entry(
    422,
    "The input is not valid",
    "The body does not parse with the schema of this route or target.",
    "`errors` says where and why.",
  ),
  invalid_request: entry(
    400,
    "The request is not valid",
    "A parameter of the request is missing or malformed.",
    "`errors` says which one. GET /api/v1/openapi.json describes every route.",
  ),
  run_ended: entry(
    409,
    "The run has already ended",
    "A run that has ended never changes its state.",
    "Replay it: POST /api/v1/runs/{id}/replay starts a new run with the same payload.",
  ),
  approval_closed: entry(
    409,
    "The approval is not open",
    "Somebody has decided it before, nobody decided in time, or the run does not wait for it: it goes on, or has ended.",
    "Look at the run: its timeline says what was decided, and by whom.",
  ),
  key_ended: entry(
    409,
    "The key has ended",
    "It is revoked, has expired, or was rotated before: there is nothing to change over.",
    "The detail says which. Rotate the key that took its place, or make a new one: `signalbox keys create`.",
    false,
    "either",
  ),
  not_replayable: entry(
    409,
    "This cannot be sent again",
    "What would be sent is not kept any more, or its trigger or target is not in the project that runs now.",
    "Deploy a project that has it, or start the target with an input of your own.",
    false,
    "either",
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The sender is over its rate limit, or too many requests without credentials are in progress.",
    "Wait for the seconds in Retry-After, then send again.",
    true,
  ),
  queue_full: entry(
    503,
    "The queue of a workflow is full",
    "As many runs of the workflow or agent are queued as its `maxQueued` lets wait. Nothing was recorded, and nothing was started.",
    "Send it again after the seconds in Retry-After; most senders do so by themselves. The detail names it. Where it stays full: find out why its runs do not begin (`concurrency`, workers), or raise its maxQueued.",
    true,
  ),
  store_unavailable: entry(
    503,
    "The store cannot take this now",
    "The store is busy, full or closing. Nothing was recorded, and nothing was started.",
    "Send it again after the seconds in Retry-After; most senders do so by themselves. If it continues, the owner of the service finds the cause in its log, with `GET /readyz`, and with `signalbox doctor`.",
    true,
  ),
  store_unusable: entry(
    503,
    "The store cannot be opened",
    "What DATABASE_URL names is damaged, is no database of Signalbox, cannot be reached, or was written by a newer version. Nothing in it was changed.",
    "The message says which, and what is wrong with it. A file that is damaged: keep a copy of it with its -wal, then restore a backup; without one, `sqlite3 damaged.db .recover | sqlite3 new.db` saves what can be read. A Postgres: `signalbox doctor` looks closer. Where a newer version wrote it: upgrade signalbox.",
    false,
    "owner",
  ),
  overloaded: entry(
    503,
    "Too many large requests at once",
    "The bodies of the requests in progress use all the memory that the service has for them, or that one key may use. Nothing was recorded, and nothing was started.",
    "Send it again after the seconds in Retry-After. If it happens often, look for a client that opens many requests and does not finish them.",
    true,
  ),
  shutting_down: entry(
    503,
    "The service is shutting down",
    "The service was told to stop, and takes nothing new.",
    "Send it again after the seconds in Retry-After.",
    true,
  ),
  internal: entry(
    500,
    "Something went wrong here",
    "A defect in the service. The log of the service has the details.",
    "Try again; if it stays, report it with the delivery or run id.",
    true,
  ),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
