import { slack as verifySlack } from "../../verify/senders/slack.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type PayloadOf, readFields } from "../event-fields.ts";

/** What surrounds every event of Slack's Events API. `event_time` is in Unix seconds. */
const envelope = {
  type: "string",
  team_id: "string",
  api_app_id: "string",
  event_id: "string",
  event_time: "integer",
} as const;

const reaction = {
  type: "string",
  user: "string",
  reaction: "string",
  "item_user?": "string",
  item: { type: "string", "channel?": "string", "ts?": "string" },
  event_ts: "string",
} as const;

const inner = {
  app_home_opened: { type: "string", user: "string", channel: "string", "tab?": "string", event_ts: "string" },
  /** A bot that mentions the app has a `bot_id`, and not always a `user`. */
  app_mention: {
    type: "string",
    "user?": "string",
    "bot_id?": "string",
    text: "string",
    ts: "string",
    channel: "string",
    "thread_ts?": "string",
    event_ts: "string",
  },
  channel_created: {
    type: "string",
    channel: { id: "string", name: "string", created: "integer", creator: "string" },
  },
  member_joined_channel: {
    type: "string",
    user: "string",
    channel: "string",
    channel_type: "string",
    team: "string",
    "inviter?": "string",
  },
  message: {
    type: "string",
    "subtype?": "string",
    channel: "string",
    channel_type: "string",
    "user?": "string",
    "bot_id?": "string",
    "text?": "string",
    ts: "string",
    "thread_ts?": "string",
    event_ts: "string",
  },
  reaction_added: reaction,
  reaction_removed: reaction,
  team_join: { type: "string", user: { id: "string", name: "string", "real_name?": "string" } },
} as const;

type SlackEvents = {
  [Event in keyof typeof inner]: PayloadOf<typeof envelope & { event: (typeof inner)[Event] }>;
};

const example = {
  team_id: "T061EG9R6",
  api_app_id: "A0PNCHHK2",
  event_id: "Ev0PV52K21",
  event_time: 1_767_225_600,
  event: {
    user: "U061F7AUR",
    bot_id: "B0LAN2Q65",
    text: "<@U0LAN0Z89> is it everything a river should be?",
    ts: "1767225600.000200",
    event_ts: "1767225600.000200",
    channel: "C0LAN2Q65",
    channel_type: "channel",
    reaction: "thumbsup",
    item_user: "U0G9QF9C6",
    item: { type: "message", channel: "C0LAN2Q65", ts: "1767225600.000100" },
    team: "T061EG9R6",
    tab: "home",
  },
};

/** Of these events, the field is an object. */
const objects: Record<string, object> = {
  channel_created: { channel: { id: "C0LAN2Q65", name: "launch", created: 1_767_225_600, creator: "U061F7AUR" } },
  team_join: { user: { id: "U061F7AUR", name: "ada", real_name: "Ada Lovelace" } },
};

/**
 * Typed sources for Slack's Events API: `slack.on("app_mention", …)`. The field `event.type` selects the event. With
 * `secret`, Slack's signature is verified, and its URL verification is answered. Events are identified by `event_id`.
 *
 * @example
 *   // triggers/mention.ts
 *   import { slack } from "signalbox/sources/slack";
 *   import answer from "../workflows/answer.js";
 *
 *   export default slack
 *     .on("app_mention", {
 *       slug: "mention",
 *       endpoint: "slack",
 *       secret: process.env.SLACK_SECRET,
 *       pick: ["event.user", "event.text", "event.channel"],
 *     })
 *     .attach({ workflow: answer, transform: ({ event }) => event });
 */
export const slack: EventSources<SlackEvents> = createEventSources({
  name: "slack",
  findEvent(event) {
    const fields = Object.entries(inner).find(([name]) => name === event)?.[1];
    if (!fields) return null;
    return readFields({ ...envelope, event: fields }, { ...example, event: { ...example.event, ...objects[event] } });
  },
  fixed: (event) => ({ type: "event_callback", "event.type": event }),
  verify: (secret) => verifySlack({ secret }),
  dedupe: { signed: { field: "/event_id" }, unsigned: { field: "/event_id" } },
});
