/**
 * The table of error codes. The HTTP layer, tRPC and the CLI turn a code into a response by this table alone.
 * `why` and `fix` are shown on `/errors/<code>` and in docs/errors/<code>.md.
 */
export interface ErrorCodeEntry {
  status: number;
  /** A noun phrase without a full stop. */
  title: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** If it is not retryable: the side that must change something first. */
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

/** One sentence: whether sending the same request again can succeed. */
export function resendAdvice({ retryable, changedBy }: ErrorCodeEntry): string {
  if (retryable) return "The same request may succeed later: send it again.";
  return {
    sender: "The same request fails again: change it first.",
    owner: "The same request fails again until the owner of this service fixes the cause.",
    either: "The same request fails again until the sender changes it, or the owner of this service fixes the cause.",
  }[changedBy];
}

export const errorCodes = {
  unauthorized: entry(
    401,
    "Missing or invalid key",
    "The request has no key, or its key is unknown, expired, revoked or for other endpoints. If it has several keys, each must be valid. A credential of another service (such as the sender's own `Authorization: Bearer`) is no key: alone it gets 401, and beside a valid key it is ignored.",
    "Send the key as ?token=, ?api_key=, Authorization: Bearer or x-api-key, or as the password in https://hook:KEY@host. `signalbox triggers url <slug>` prints a URL that contains a valid key. `signalbox keys create` creates a new key. If the sender uses `Authorization` for its own token, send the key in the URL.",
    false,
    "either",
  ),
  new_store: entry(
    503,
    "New store",
    "The service does not know the key of the request, and none of its own webhook keys was ever used. Its store is new, or it is not the store that it had before: its volume is not mounted, or its URL is that of another database. The sender keeps its events and tries again.",
    "If the service had other keys, check that its volume is mounted and that SIGNALBOX_DATABASE_URL is right, or restore a backup. If it is new, send a webhook with one of its keys: `signalbox triggers url <slug>` prints a URL with one. Afterwards, unknown keys get 401.",
    true,
    "either",
  ),
  invalid_signature: entry(
    401,
    "Invalid signature",
    "The endpoint verifies signatures (`verify` in its source). The signature of this request is missing, malformed, too old or too new, or it was made with another secret or for another body.",
    "`detail` says which. Compare the secret with the sender's. If both are equal, look for a proxy that changes bodies, and check the clock. The delivery is recorded: redeliver it after you have fixed the secret.",
    false,
    "either",
  ),
  verification_failed: entry(
    500,
    "Verification failed",
    "The endpoint verifies signatures (`verify` in its source), and the check itself failed. A check of the project threw an error or took more than 2 seconds, or a certificate of the sender could not be loaded. It is unknown whether the request is genuine.",
    "`detail` and the log of the server say why. Most senders send the event again. The delivery is recorded: redeliver it after you have fixed the cause.",
    true,
  ),
  forbidden: entry(
    403,
    "Access denied",
    "The key is valid but does not allow this operation: a webhook key can only read the runs that it started. In development, which needs no key, the request came from a page of another site or used an unknown host name.",
    "Use an API token: `signalbox keys create --api --scope read`. In development, use localhost or an IP address. Behind a tunnel, set SIGNALBOX_BASE_URL to the tunnel's address.",
    false,
    "either",
  ),
  unknown_endpoint: entry(
    404,
    "Unknown endpoint",
    "The path after /triggers/ must be exactly the endpoint of a trigger, without a trailing slash, upper-case letters or escapes.",
    "`signalbox triggers list` shows the endpoints. If the trigger is new, build and deploy the project.",
    false,
    "either",
  ),
  not_found: entry(
    404,
    "Not found",
    "This service has nothing with this id or path. Retention may have removed it.",
    "Check the id, and that you send the request to the right service.",
  ),
  nothing_recorded: entry(
    404,
    "Nothing recorded",
    "A trigger is inferred from the recorded bodies of an endpoint, and there is none. The service records a request to an endpoint without triggers, but not its body.",
    "Write a trigger for the endpoint with `request: z.unknown()`, and let the sender send some events. Then infer the trigger again. `--since` selects a longer period, and `--from` reads payloads from files.",
    false,
    "either",
  ),
  method_not_allowed: entry(
    405,
    "Method not allowed",
    "The endpoint does not accept this method.",
    "Use a method in the Allow header. Webhooks are POST, unless the endpoint sets `methods`.",
  ),
  unsupported_handshake: entry(
    405,
    "Unsupported handshake",
    "The sender verifies the URL before it sends events. The endpoint has no `verify` and no `challenge` that answers it, or the value cannot be repeated.",
    "If the sender is Meta, Microsoft Graph, X or LinkedIn, set `verify: meta({ … })`, `microsoftGraph({ … })`, `twitter({ … })` or `linkedin({ … })` in the sources of the endpoint. For other senders, set `challenge`. Then build and deploy the project.",
    false,
    "either",
  ),
  invalid_path: entry(
    400,
    "Invalid path",
    "The path has an invalid percent escape, or bytes that are not UTF-8.",
    "Send the endpoint as it is written in the trigger: letters, digits, hyphens and slashes need no escapes.",
  ),
  invalid_json: entry(
    400,
    "Invalid JSON",
    "The body is not JSON, or it is nested deeper than 512 levels.",
    "`detail` gives the line and column. The delivery shows the body as received.",
  ),
  invalid_body: entry(
    400,
    "Invalid body",
    "The body is not a form, a multipart form or text, as its Content-Type says, or its form lacks the field that contains the JSON. Or a number in the JSON is too large for JavaScript.",
    "`detail` says what is wrong, and `errors` where. The delivery shows the body as received.",
  ),
  incomplete_body: entry(
    400,
    "Incomplete body",
    "The connection closed before the whole body was received.",
    "Send the request again.",
    true,
  ),
  request_timeout: entry(
    408,
    "Request timeout",
    "The headers must be received within 15 seconds, and the whole request within a minute.",
    "Send the request again, over a better connection or in one piece.",
    true,
  ),
  unsupported_media_type: entry(
    415,
    "Unsupported media type",
    "By default, Content-Type must be application/json or end in +json, and a compressed body must be in gzip, deflate or br.",
    "Send Content-Type: application/json in UTF-8 and no Content-Encoding. Many senders have a setting for it. If the sender sends forms, text or files, set `body` in the trigger. The delivery is recorded with its body: redeliver it afterwards.",
  ),
  body_too_large: entry(
    413,
    "Body too large",
    "The body is larger than this service accepts. Default: 1 MiB.",
    "Send a smaller body, or raise maxBodyBytes in signalbox.config.ts (SIGNALBOX_MAX_BODY_BYTES).",
    false,
    "either",
  ),
  request_mismatch: entry(
    422,
    "Request schema mismatch",
    "The body matches the `request` schema of no trigger on the endpoint. By default, an endpoint with several triggers skips such a body instead; `onMismatch` in `defineEndpoint` sets the response.",
    "`errors` says where and why. `signalbox triggers test <slug> --data @body.json` checks a body without sending it. If the sender is right, change `request` in the trigger, then build and deploy. The delivery is recorded: redeliver it afterwards.",
    false,
    "either",
  ),
  idempotency_conflict: entry(
    422,
    "Idempotency key conflict",
    "This endpoint accepted the same idempotency key with another body in the last 24 hours, or in the source's own `window`. The key is the Idempotency-Key or webhook-id header, or the header that `dedupe` names in the source. In the API, the Idempotency-Key started the same workflow, agent or trigger with another body.",
    "Use a new key for a new event. To repeat an event, send exactly the same bytes. If different events of your sender have the same key, name another header or field in `dedupe`.",
    false,
    "either",
  ),
  invalid_input: entry(
    422,
    "Invalid input",
    "The body does not match the schema of this route or target.",
    "`errors` says where and why.",
  ),
  invalid_request: entry(
    400,
    "Invalid request",
    "A parameter of the request is missing or malformed.",
    "`errors` says which one. GET /api/v1/openapi.json describes every route.",
  ),
  cursor_expired: entry(
    410,
    "Expired cursor",
    "The feed of deliveries cannot continue at this cursor: retention may have removed deliveries after it, or the store was replaced.",
    "Start without the cursor. `since` selects from the deliveries that are still stored.",
  ),
  run_ended: entry(
    409,
    "Run already ended",
    "The run has ended, so it cannot be canceled.",
    "Resume it if it failed: POST /api/v1/runs/{id}/resume. POST /api/v1/runs/{id}/replay starts a new run with the same payload.",
  ),
  approval_closed: entry(
    409,
    "Approval already closed",
    "The approval has been decided or has expired, or the run does not wait for it: the run has continued or ended.",
    "Open the run: its timeline shows the decision and the person who made it.",
  ),
  key_ended: entry(
    409,
    "Inactive key",
    "The key is revoked, has expired or has already been rotated, so it cannot be rotated.",
    "`detail` says which. Rotate the key that replaced it, or create a new one: `signalbox keys create`.",
    false,
    "either",
  ),
  not_resumable: entry(
    409,
    "Resume not possible",
    "The run did not fail, was replayed, or its trigger or target is not part of the deployed project.",
    "`signalbox runs replay <id>` or POST /api/v1/runs/{id}/replay starts it again from the beginning, as a new run. If it was replayed, continue with its replay.",
    false,
    "either",
  ),
  not_replayable: entry(
    409,
    "Replay not possible",
    "The content is no longer stored, or its trigger or target is not part of the deployed project. A held delivery is released instead of redelivered, and only held deliveries can be released.",
    "Deploy a project that has it, or start the target with an input of your own. Release a held delivery.",
    false,
    "either",
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The sender has exceeded its rate limit, or too many requests without credentials are in progress.",
    "Wait for the number of seconds in Retry-After, then send the request again.",
    true,
  ),
  queue_full: entry(
    503,
    "Queue full",
    "The workflow or agent has as many queued runs as its `maxQueued` allows. Nothing was recorded, and no run was started.",
    "Send the request again after the number of seconds in Retry-After. Most senders do this automatically. `detail` names the workflow or agent. If its queue stays full, find out why its runs do not start (`concurrency`, workers), or raise its maxQueued.",
    true,
  ),
  store_unavailable: entry(
    503,
    "Store unavailable",
    "The store is busy, full, unreachable or closing, or it did not record the request within ten seconds. Nothing was recorded, and no run was started.",
    "Send the request again after the number of seconds in Retry-After. Most senders do this automatically. If the error persists, the owner of the service finds the cause in its log, with `GET /readyz`, or with `signalbox doctor`.",
    true,
  ),
  build_unusable: entry(
    409,
    "Unusable build",
    "The build cannot be loaded, so the current build stays active. Its folder is damaged, or another version of Signalbox wrote it.",
    "Select another build (`signalbox builds list`), or build the project again with `signalbox build`.",
    false,
    "owner",
  ),
  store_unusable: entry(
    503,
    "Unusable store",
    "The database in SIGNALBOX_DATABASE_URL is damaged, is not a Signalbox store, cannot be reached, or was written by a newer version. Nothing in it was changed.",
    "If a file is damaged, keep a copy of it with its -wal, then restore a backup. Without a backup, `sqlite3 damaged.db .recover | sqlite3 new.db` saves the readable part. For Postgres, run `signalbox doctor`. If a newer version wrote the store, upgrade signalbox.",
    false,
    "owner",
  ),
  overloaded: entry(
    503,
    "Too many large requests",
    "The bodies of the requests in progress use all the memory that the service, or one key, may use for them. Nothing was recorded, and no run was started.",
    "Send the request again after the number of seconds in Retry-After. If it happens often, look for a client that opens many requests and does not finish them.",
    true,
  ),
  shutting_down: entry(
    503,
    "Service shutting down",
    "The service is stopping and accepts no new requests.",
    "Send the request again after the number of seconds in Retry-After.",
    true,
  ),
  web_unavailable: entry(
    503,
    "Pages and API unavailable",
    "The process that serves the pages and the API is restarting, or has too many requests in progress. Webhooks are still received.",
    "Send the request again after the number of seconds in Retry-After. If the error persists, the log of the service says why the process does not start.",
    true,
  ),
  internal: entry(
    500,
    "Internal error",
    "The service has a defect. Its log has the details.",
    "Try again. If the error persists, report it with the delivery or run id.",
    true,
  ),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
