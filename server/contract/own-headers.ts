/**
 * Headers that the service writes into a recorded delivery. Headers of these names in a sender's request are not
 * recorded.
 */
export const ownHeaders = {
  /** The delivery whose body was delivered again. */
  redeliveryOf: "signalbox-redelivery-of",
  /** `form`: a person sent the delivery from a form of the app. */
  sentFrom: "signalbox-sent-from",
  /** `skipped`: the endpoint verifies signatures, and this delivery was authenticated by a person's session instead. */
  signatureCheck: "signalbox-signature-check",
} as const;
