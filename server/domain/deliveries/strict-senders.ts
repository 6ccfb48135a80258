/**
 * Senders that disable an endpoint after some responses with errors, by the function of `signalbox/verify`. A trigger
 * for one kind of their events should not answer 422 to the others: it should set `onMismatch: "skip"`. The header, or
 * the beginning of the `user-agent`, recognises their requests.
 */
const strictSenders: Readonly<Record<string, { header?: string; agent?: string }>> = {
  discord: { agent: "Discord-Webhook/" },
  gitlab: { header: "x-gitlab-event" },
  linear: { header: "linear-event" },
  meta: { agent: "facebookexternalua" },
  shopify: { header: "x-shopify-topic" },
  slack: { agent: "Slackbot " },
  standardWebhooks: { header: "webhook-id" },
  stripe: { agent: "Stripe/" },
  xero: { agent: "Xero" },
  zoom: { agent: "Zoom Marketplace/" },
};

/** Whether the sender of a verification scheme disables endpoints. */
export function isStrictScheme(scheme: string): boolean {
  return Object.hasOwn(strictSenders, scheme);
}

/** Whether the headers of a request are those of such a sender. Names are in lower case. */
export function isFromStrictSender(headers: Readonly<Record<string, string>>): boolean {
  return Object.values(strictSenders).some(
    ({ header, agent }) =>
      (header !== undefined && Object.hasOwn(headers, header)) ||
      (agent !== undefined && headers["user-agent"]?.startsWith(agent) === true),
  );
}
