import { z } from "zod";
import { defineWebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";

const request = z.object({ id: z.string() });
const welcome = defineWorkflow({ slug: "welcome", input: z.object({ to: z.string() }), run() {} });

export const upperCase = defineWebhookSource({
  slug: "a",
  endpoint: "a",
  request,
  headers: z.object({ "X-GitHub-Event": z.literal("issues") }), // error: Write X-GitHub-Event in lower case: names of headers are in lower case
});

export const notText = defineWebhookSource({
  slug: "b",
  endpoint: "b",
  request,
  headers: z.object({ "x-event": z.string(), "x-attempt": z.number() }), // error: The header x-attempt is a string, or an array of strings if it is repeated: convert it in transform
});

export const maybeMissing = defineWebhookSource({
  slug: "c",
  endpoint: "c",
  request,
  headers: z.object({ "x-event": z.string() }),
}).attach({
  workflow: welcome,
  transform: (payload, { headers }) => ({ to: headers["x-event"] }), // error: Type 'string | undefined' is not assignable to type 'string'
});
