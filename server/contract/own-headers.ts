/**
 * Headers that the service writes into a recorded delivery. Headers of these names in a sender's request are not
 * recorded.
 */
export const ownHeaders = {
  /** The delivery whose body was delivered again. */
  redeliveryOf: "signalbox-redelivery-of",
  /** `form`: a person sent the delivery from a form of the app. */
  sentFrom: "signalbox-sent-from",
  /** The first delivery of the event that this delivery repeats. */
  repeatOf: "signalbox-repeat-of",
  /** The only trigger that evaluated the delivery: a person sent it from the form of that trigger. */
  sentTo: "signalbox-sent-to",
  /** `skipped`: the endpoint verifies signatures, and this delivery was authenticated by a person's session instead. */
  signatureCheck: "signalbox-signature-check",
  /** The public URL of the request, only if the endpoint's signature covers it. Keys in it are redacted. */
  requestUrl: "signalbox-request-url",
  /** The query of the request, without keys, credentials and signatures. Absent: it is empty, or it is the body. */
  query: "signalbox-query",
  /** The scheme that answered the request: the sender verified the endpoint with it, and sent no event. */
  handshake: "signalbox-handshake",
  /** The time at which a held delivery started its runs, ISO 8601. */
  releasedAt: "signalbox-released-at",
  /** The values of the headers that the request had several times, as JSON: `{"x-topic":["a","b"]}`. */
  repeated: "signalbox-repeated-headers",
  /** The paths of numbers that were rounded when the body was parsed: JSON Pointers, as JSON. */
  rounded: "signalbox-rounded-numbers",
  /** The Content-Encoding of the request. The body is stored without it. */
  contentEncoding: "signalbox-content-encoding",
  /** The service that received the delivery first, and its decision, as JSON: `originSchema`. */
  origin: "signalbox-origin",
  /** All headers of the delivery, encrypted. Only in the store; see `encryption`. */
  encrypted: "signalbox-encrypted",
} as const;
