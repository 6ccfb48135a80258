import { z } from "zod";
import { z as z3 } from "zod/v3";
import { slack } from "signalbox/sources/slack";
import { defineEndpoint, defineWebhookSource } from "signalbox/trigger";

// Every line that ends with `// error: …` must cause an error with that text, and no other line may cause one.

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("invoice.paid"), invoice: z.object({ amount: z.int(), state: z.enum(["open", "closed"]) }) }),
  z.object({ type: z.literal("customer.created"), customer: z.object({ email: z.email() }) }),
]);

export const unknownKey = defineWebhookSource({
  slug: "a",
  endpoint: "a",
  request: z.object({ action: z.string() }),
  filter: z.object({ acton: z.literal("opened") }), // error: The request schema has no field acton: correct its name, or add the field to request
});

export const unknownInside = defineWebhookSource({
  slug: "b",
  endpoint: "b",
  request: event,
  filter: z.object({ invoice: z.object({ amuont: z.int() }) }), // error: The request schema has no field invoice.amuont: correct its name, or add the field to request
});

export const ofAnotherMember = defineWebhookSource({
  slug: "c",
  endpoint: "c",
  request: event,
  filter: z.object({ type: z.literal("invoice.paid"), customer: z.object({}) }), // error: The request schema has no field customer: correct its name, or add the field to request
});

export const unknownValue = defineWebhookSource({
  slug: "d",
  endpoint: "d",
  request: event,
  filter: z.object({ type: z.enum(["invoice.paid", "invoice.piad"]) }), // error: The request schema does not allow 'invoice.piad' at type: correct the value, or add it to request
});

export const unknownValueInside = defineWebhookSource({
  slug: "e",
  endpoint: "e",
  request: z3.object({ issue: z3.object({ state: z3.enum(["open", "closed"]) }) }),
  filter: z3.object({ issue: z3.object({ state: z3.literal("opne") }) }), // error: The request schema does not allow 'opne' at issue.state: correct the value, or add it to request
});

export const anotherType = defineWebhookSource({
  slug: "f",
  endpoint: "f",
  request: z.object({ amount: z.string() }),
  filter: z.object({ amount: z.number().min(100) }), // error: No body can match both request and filter at amount: correct one of them
});

export const noObject = defineWebhookSource({
  slug: "g",
  endpoint: "g",
  request: z.object({ id: z.string() }),
  filter: z.array(z.string()), // error: No body can match both request and filter at the top level: correct one of them
});

export const itemsOfList = defineWebhookSource({
  slug: "h",
  endpoint: "h",
  request: z.object({ lines: z.array(z.object({ sku: z.string() })) }),
  filter: z.object({ lines: z.array(z.object({ skuu: z.literal("a") })) }), // error: The request schema has no field lines[].skuu: correct its name, or add the field to request
});

export const onEndpoint = defineEndpoint({ endpoint: "i" }).source({
  slug: "i",
  request: event,
  filter: z.object({ tpye: z.literal("invoice.paid") }), // error: The request schema has no field tpye: correct its name, or add the field to request
});

export const notPicked = slack.on("app_mention", {
  slug: "j",
  endpoint: "j",
  pick: ["event.text"],
  filter: z.object({ team_id: z.literal("T1") }), // error: The request schema has no field team_id: correct its name, or add it to pick
});
