import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";

export const fromTwilio = defineEndpoint({
  endpoint: "twilio",
  body: "form",
  dedupe: { field: "/MessageSid" },
  rateLimit: { requests: 100, per: "minute" },
  headers: z.object({ "user-agent": z.string().startsWith("TwilioProxy/") }),
  onMismatch: "skip",
  reply: { body: "<Response/>", headers: { "Content-Type": "text/xml" } },
});
