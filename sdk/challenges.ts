/** A value of a request: of a parameter of the query, of a header, or of a field of the JSON body (JSON Pointer). */
export type RequestValue =
  | { query: string; header?: never; field?: never }
  | { header: string; query?: never; field?: never }
  | { field: string; query?: never; header?: never };

/**
 * A request by which a sender tests an endpoint before it sends events, and its answer, which is always 200. The server
 * answers it itself, and starts nothing.
 *
 * @example
 *   // GET /triggers/files?challenge=abc is answered with the text abc.
 *   challenge: { method: "GET", echo: { query: "challenge" } }
 *   // POST {"type":"check","code":"abc"} is answered with {"reply":"abc"}.
 *   challenge: { if: { field: "/type", is: "check" }, echo: { field: "/code" }, as: { field: "reply" } }
 */
export interface ChallengeOptions {
  /** Default: `"POST"`. */
  method?: "GET" | "HEAD" | "OPTIONS" | "POST";
  /** A value that only the test has, not an event. */
  if?: RequestValue & { is: string };
  /**
   * The value that the answer repeats: 1 to 1024 visible ASCII characters. A request without it is no test. A POST
   * whose `echo` is a field, without `if`, is a test only if its body has no other field. Default: the answer is empty.
   */
  echo?: RequestValue;
  /**
   * How the answer contains the value. `"text"` is a plain text. `{ field: "challenge" }` is JSON with this field. `{
   * header: "x-hook-secret" }` is a header, whose name begins with `x-` or `webhook-`. Default: `"text"`.
   */
  as?: "text" | { field: string } | { header: string };
  /** Other headers of the answer, whose names begin with `x-` or `webhook-`. Default: none. */
  headers?: Readonly<Record<string, string>>;
}

/** The tests of senders, by name. */
export const challengePresets = {
  /** The secret of the webhook is in a header, which the answer repeats. */
  asana: [{ echo: { header: "x-hook-secret" }, as: { header: "x-hook-secret" } }],
  adobe: [{ method: "GET", echo: { query: "challenge" } }],
  dropbox: [{ method: "GET", echo: { query: "challenge" } }],
  /** Event Grid: the abuse protection of CloudEvents, and the validation event of the other schema. */
  eventGrid: [
    {
      method: "OPTIONS",
      echo: { header: "webhook-request-origin" },
      as: { header: "webhook-allowed-origin" },
      headers: { "webhook-allowed-rate": "*" },
    },
    {
      if: { field: "/0/eventType", is: "Microsoft.EventGrid.SubscriptionValidationEvent" },
      echo: { field: "/0/data/validationCode" },
      as: { field: "validationResponse" },
    },
  ],
  mailchimp: [{ method: "GET" }, { method: "HEAD" }],
  miro: [{ echo: { field: "/challenge" }, as: { field: "challenge" } }],
  monday: [{ echo: { field: "/challenge" }, as: { field: "challenge" } }],
  nylas: [{ method: "GET", echo: { query: "challenge" } }],
  okta: [{ method: "GET", echo: { header: "x-okta-verification-challenge" }, as: { field: "verification" } }],
  strava: [
    {
      method: "GET",
      if: { query: "hub.mode", is: "subscribe" },
      echo: { query: "hub.challenge" },
      as: { field: "hub.challenge" },
    },
  ],
  trello: [{ method: "HEAD" }],
  twitch: [
    {
      if: { header: "twitch-eventsub-message-type", is: "webhook_callback_verification" },
      echo: { field: "/challenge" },
    },
  ],
  /** WebSub (YouTube): the hub asks for both, subscribing and unsubscribing. */
  webSub: [{ method: "GET", echo: { query: "hub.challenge" } }],
} as const satisfies Record<string, readonly ChallengeOptions[]>;

/** A sender whose test is known. */
export type ChallengePreset = keyof typeof challengePresets;
