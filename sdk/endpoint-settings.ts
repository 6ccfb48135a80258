import type { ChallengeOptions, ChallengePreset } from "./challenges.ts";
import type { Duration } from "./duration.ts";

/** The tests of an endpoint by its sender: a sender by name, a description of the test, or several of them. */
export type SourceChallenge = ChallengePreset | ChallengeOptions | readonly (ChallengePreset | ChallengeOptions)[];

/** A response, for senders that insist on one. */
export interface FixedReply {
  /** 200 to 299. Default: 200. */
  status?: number;
  /** The body: a string as it is sent, or an object, which is sent as JSON. At most 16 KiB. Default: empty. */
  body?: string | Readonly<Record<string, unknown>>;
  /** Headers, e.g. `{ "content-type": "text/xml" }`. */
  headers?: Readonly<Record<string, string>>;
}

/** A response for each outcome. An outcome that is not named gets the JSON of Signalbox. */
export interface OutcomeReplies {
  /** To a request that started runs. */
  accepted?: FixedReply;
  /** To a request that started nothing. */
  skipped?: FixedReply;
  /** To a repeat of an earlier event. Default: the response that the first request got. */
  repeated?: FixedReply;
  /** To a request that waits for its release, with `onMismatch: "hold"`. */
  held?: FixedReply;
  /**
   * Replaces the body and the headers of a problem, for senders that accept no body. The status stays. Requests without
   * a valid key and those over a rate limit get the problem in any case.
   */
  rejected?: Pick<FixedReply, "body" | "headers">;
}

/** The same response to every accepted, repeated, skipped and held request, or one for each outcome. */
export type ReplyOptions =
  | (FixedReply & { [Outcome in keyof OutcomeReplies]?: never })
  | (OutcomeReplies & { [Part in keyof FixedReply]?: never });

/**
 * The format of bodies. `json`: JSON. `form`: an URL-encoded form; the body is an object of strings, and a repeated
 * field an array of strings. With `field`, the form has its JSON in this field. `multipart`: a form with files; a file
 * is an object that refers to its bytes. `text`: any text in UTF-8, as a string. `bytes`: any bytes, as a string in
 * base64.
 */
export type BodyOptions = "json" | "form" | "multipart" | "text" | "bytes" | { type: "form"; field: string };

/** A token bucket of `requests` tokens, refilled evenly over `per`. A full bucket allows all requests at once. */
export interface RateLimitOptions {
  /** 1 to 1,000,000. */
  requests: number;
  per: "second" | "minute" | "hour";
}

/** The value that identifies an event. A repeated event starts no second run. */
export type DedupeOptions =
  | {
      /** A request header, e.g. `"x-event-id"`. If the source has `verify`, the signature must cover this header. */
      header: string;
      field?: never;
      /** How long an accepted event is remembered: `"1s"` to `"30d"`. Default: `"24h"`. */
      window?: Duration;
    }
  | {
      /**
       * The path of a string or an integer in the body: a JSON Pointer (`"/event/id"`) or names joined by dots
       * (`"event.id"`).
       */
      field: string;
      header?: never;
      /** How long an accepted event is remembered: `"1s"` to `"30d"`. Default: `"24h"`. */
      window?: Duration;
    }
  | {
      /** How long an accepted event is remembered: `"1s"` to `"30d"`. On its own, it changes only the window. */
      window: Duration;
      header?: never;
      field?: never;
    };

/** Settings of an endpoint. All its sources share them. */
export interface EndpointSettings {
  /**
   * The format of the bodies: `"json"`, `"form"`, `{ type: "form", field: "payload" }`, `"multipart"`, `"text"` or
   * `"bytes"`. Requests in another format are answered 415. Sources that share an endpoint must use the same format.
   * Default: `"json"`; with `github`, also forms with their JSON in the field `payload`.
   */
  body?: BodyOptions;
  /**
   * How numbers in JSON are parsed that JavaScript cannot represent exactly, such as integers beyond 2⁵³. `"string"`: a
   * string in the sender's notation, e.g. `"9007199254740993"`. `"number"`: the nearest number; the delivery lists the
   * rounded paths. All other numbers are numbers in both cases. Default: `"number"`.
   */
  bigints?: "number" | "string";
  /**
   * Header or body path that identifies an event, in place of `Idempotency-Key` and `webhook-id`. A repeated event gets
   * the first response again and starts no run. Sources that share an endpoint must use the same options.
   */
  dedupe?: DedupeOptions;
  /**
   * Maximum rate of requests to this endpoint, over all keys, e.g. `{ requests: 100, per: "minute" }`. Requests over
   * the limit are answered 429 with `Retry-After`. Default: the setting `limits.perEndpoint`. Sources that share an
   * endpoint share this limit and must set the same value.
   */
  rateLimit?: RateLimitOptions;
  /**
   * The response to a request whose body matches the `request` of no source on the endpoint. `"reject"` answers 422, so
   * that the sender sees the error. `"skip"` answers 200, for senders that disable an endpoint after errors. `"hold"`
   * answers 202 to every request that starts no run, even if a `filter`, `headers`, `query` or a switch stopped it. The
   * delivery waits until `signalbox deliveries release` evaluates it again, for example after a deployment with a fixed
   * schema. Sources that share an endpoint must use the same value. Default: `"reject"` if the endpoint has one
   * trigger, otherwise `"skip"`.
   */
  onMismatch?: "reject" | "skip" | "hold";
  /**
   * A fixed response in place of the JSON with the run ids. `{ body: "ok" }` is the response to accepted, repeated,
   * skipped and held requests. `{ accepted: { body: "On it" } }` names the outcomes, and leaves the others as they are.
   * It never contains the output of a run. Sources that share an endpoint must use the same value. Default: none.
   */
  reply?: ReplyOptions;
  /**
   * The request by which the sender tests the endpoint before it sends events, and its answer. A sender by name
   * (`"asana"`, `"dropbox"`, `"eventGrid"`, …), a description (`{ method: "GET", echo: { query: "challenge" } }`), or a
   * list. Such requests need a key, start nothing, and are recorded as skipped. The functions of `signalbox/verify`
   * answer the tests of their senders without it. Sources that share an endpoint must use the same value. Default:
   * none.
   */
  challenge?: SourceChallenge;
  /**
   * The methods of the sender's requests. The body of a GET is its query, without our key: an object of strings, as
   * with `body: "form"`. Anyone who opens the URL starts a run, also a program that previews links. Sources that share
   * an endpoint must use the same methods. Default: `["POST"]`.
   */
  methods?: readonly ("POST" | "GET")[];
}

export const endpointSettings = [
  "body",
  "bigints",
  "dedupe",
  "rateLimit",
  "onMismatch",
  "reply",
  "challenge",
  "methods",
] as const;
