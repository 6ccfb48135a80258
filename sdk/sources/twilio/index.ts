import { twilio as verifyTwilio } from "../../verify/senders/twilio.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type PayloadOf, readFields } from "../event-fields.ts";

/** Twilio sends forms, so every value is a string: `"NumMedia": "0"`. */
const caller = {
  AccountSid: "string",
  "ApiVersion?": "string",
  "FromCity?": "string",
  "FromState?": "string",
  "FromZip?": "string",
  "FromCountry?": "string",
  "ToCity?": "string",
  "ToState?": "string",
  "ToZip?": "string",
  "ToCountry?": "string",
} as const;

/** A received SMS, MMS, WhatsApp or RCS message. `MediaUrl0` to `MediaUrl9` are its attachments. */
const receivedMessage = {
  ...caller,
  MessageSid: "string",
  "MessagingServiceSid?": "string",
  From: "string",
  To: "string",
  Body: "string",
  SmsStatus: "string",
  NumMedia: "string",
  "NumSegments?": "string",
  "MediaUrl0?": "string",
  "MediaContentType0?": "string",
  "MediaUrl1?": "string",
  "MediaContentType1?": "string",
  "MediaUrl2?": "string",
  "MediaContentType2?": "string",
  "MediaUrl3?": "string",
  "MediaContentType3?": "string",
  "MediaUrl4?": "string",
  "MediaContentType4?": "string",
  "MediaUrl5?": "string",
  "MediaContentType5?": "string",
  "MediaUrl6?": "string",
  "MediaContentType6?": "string",
  "MediaUrl7?": "string",
  "MediaContentType7?": "string",
  "MediaUrl8?": "string",
  "MediaContentType8?": "string",
  "MediaUrl9?": "string",
  "MediaContentType9?": "string",
  "ProfileName?": "string",
  "WaId?": "string",
  "ButtonText?": "string",
  "ButtonPayload?": "string",
  "Latitude?": "string",
  "Longitude?": "string",
} as const;

/** A status callback of a sent message. `ErrorCode` is present if the message failed or is undelivered. */
const messageStatus = {
  AccountSid: "string",
  "ApiVersion?": "string",
  MessageSid: "string",
  "MessagingServiceSid?": "string",
  "From?": "string",
  To: "string",
  MessageStatus: "string",
  "ErrorCode?": "string",
  "ErrorMessage?": "string",
  "RawDlrDoneDate?": "string",
} as const;

/** A status callback of a call. Durations are in seconds, `Timestamp` is an RFC 2822 date. */
const callStatus = {
  ...caller,
  CallSid: "string",
  "ParentCallSid?": "string",
  From: "string",
  To: "string",
  CallStatus: "string",
  "Direction?": "string",
  "CallDuration?": "string",
  "Timestamp?": "string",
  "SequenceNumber?": "string",
  "CallbackSource?": "string",
  "AnsweredBy?": "string",
  "SipResponseCode?": "string",
  "RecordingSid?": "string",
  "RecordingUrl?": "string",
  "RecordingDuration?": "string",
} as const;

/** A status callback of a recording. `RecordingDuration` is in seconds. */
const recordingStatus = {
  AccountSid: "string",
  CallSid: "string",
  RecordingSid: "string",
  RecordingStatus: "string",
  "RecordingUrl?": "string",
  "RecordingDuration?": "string",
  "RecordingChannels?": "string",
  "RecordingStartTime?": "string",
  "RecordingSource?": "string",
  "ErrorCode?": "string",
} as const;

const events = {
  "message.received": receivedMessage,
  "message.sent": messageStatus,
  "message.delivered": messageStatus,
  "message.undelivered": messageStatus,
  "message.failed": messageStatus,
  "message.read": messageStatus,
  "call.initiated": callStatus,
  "call.ringing": callStatus,
  "call.in-progress": callStatus,
  "call.completed": callStatus,
  "call.busy": callStatus,
  "call.no-answer": callStatus,
  "call.canceled": callStatus,
  "call.failed": callStatus,
  "recording.completed": recordingStatus,
  "recording.absent": recordingStatus,
  "recording.failed": recordingStatus,
} as const;

type TwilioEvents = { [Event in keyof typeof events]: PayloadOf<(typeof events)[Event]> };

/** Values of all events: each schema takes those of its fields. */
const example = {
  AccountSid: "AC5ef872f6da5a21de157d80997a64bd33",
  ApiVersion: "2010-04-01",
  MessageSid: "SM1f0e8ae6ade43cb3c0ce4525424e404f",
  MessagingServiceSid: "MG2172dd2db502e20dd981ef0d67850e1a",
  CallSid: "CAd800bb12c0426a7ea4230e492fef2a4f",
  From: "+14155550100",
  To: "+14155550199",
  Body: "Is my order on its way?",
  NumMedia: "1",
  NumSegments: "1",
  MediaUrl0: "https://api.twilio.com/2010-04-01/Accounts/AC5ef8/Messages/MM1f0e/Media/ME27be",
  MediaContentType0: "image/jpeg",
  ProfileName: "Ada Lovelace",
  WaId: "14155550100",
  FromCity: "OAKLAND",
  FromState: "CA",
  FromZip: "94612",
  FromCountry: "US",
  ToCity: "SAN FRANCISCO",
  ToState: "CA",
  ToZip: "94105",
  ToCountry: "US",
  ErrorCode: "30003",
  ErrorMessage: "Unreachable destination handset",
  Direction: "outbound-api",
  CallDuration: "49",
  Timestamp: "Thu, 01 Jan 2026 00:00:00 +0000",
  SequenceNumber: "3",
  CallbackSource: "call-progress-events",
  AnsweredBy: "human",
  SipResponseCode: "200",
  RecordingSid: "RE557ce644e5ab84fa21cc21112e22c485",
  RecordingUrl: "https://api.twilio.com/2010-04-01/Accounts/AC5ef8/Recordings/RE557c",
  RecordingDuration: "49",
  RecordingChannels: "1",
  RecordingStartTime: "Thu, 01 Jan 2026 00:00:00 +0000",
  RecordingSource: "OutboundAPI",
};

/** The field that has the status, by the kind of the event. A received message has no `MessageStatus`. */
const statusFields: Readonly<Record<string, string>> = {
  message: "MessageStatus",
  call: "CallStatus",
  recording: "RecordingStatus",
};

/**
 * Typed sources for the webhooks and status callbacks of Twilio: `twilio.on("message.received", …)`. Fields such as
 * `SmsStatus`, `MessageStatus` and `CallStatus` select the event. Bodies are forms, and the response is an empty TwiML
 * document, so Twilio sends no message in reply. With `secret`, Twilio's signature is verified, and a retry is
 * recognised by its URL and fields; without it, by `i-twilio-idempotency-token`.
 *
 * @example
 *   // triggers/new-message.ts
 *   import { twilio } from "signalbox/sources/twilio";
 *   import answer from "../workflows/answer.js";
 *
 *   export default twilio
 *     .on("message.received", {
 *       slug: "new-message",
 *       endpoint: "twilio",
 *       secret: process.env.TWILIO_AUTH_TOKEN,
 *       pick: ["From", "Body"],
 *     })
 *     .attach({ workflow: answer, transform: ({ From, Body }) => ({ to: From, text: Body }) });
 */
export const twilio: EventSources<TwilioEvents> = createEventSources({
  name: "twilio",
  findEvent(event) {
    const fields = Object.entries(events).find(([name]) => name === event)?.[1];
    return fields ? readFields(fields, example) : null;
  },
  fixed(event): Record<string, string> {
    if (event === "message.received") return { SmsStatus: "received" };
    const [kind = "", status = ""] = event.split(".");
    return { [statusFields[kind] ?? ""]: status };
  },
  verify: (secret) => verifyTwilio({ secret }),
  dedupe: { unsigned: { header: "i-twilio-idempotency-token" } },
  body: "form",
  reply: { body: "<Response/>", headers: { "content-type": "text/xml" } },
});
