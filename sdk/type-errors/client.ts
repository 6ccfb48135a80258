import { z } from "zod";
import { createClient } from "signalbox/client";
import { defineWebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";

const ship = defineWorkflow({ slug: "ship", input: z.object({ to: z.string() }), run: (input) => input.to });
const ordered = defineWebhookSource({ slug: "ordered", endpoint: "shop", request: z.object({ to: z.string() }) }).attach({
  workflow: ship,
});
const client = createClient({ url: "https://hooks.example.com" });

void client.start<typeof ship>("shop", { to: "a" }); // error at "shop": '"shop"' is not assignable to parameter of type '"ship"'
void client.start<typeof ship>("ship", { too: "a" }); // error at too: 'too' does not exist in type '{ to: string; }'
void client.start<typeof ship>("ship", {}); // error at {}: Property 'to' is missing
void client.startAgent<typeof ship>("ship", { prompt: "a" }); // error at typeof: is missing the following properties from type 'Agent<string
void client.fire<typeof ordered>("order", { to: "a" }); // error at "order": '"order"' is not assignable to parameter of type '"ordered"'
void client.fire<typeof ordered>("ordered", { too: "a" }); // error at too: 'too' does not exist in type '{ to: string; }'
void client.listRuns({ stauts: "failed" }); // error at stauts: 'stauts' does not exist in type 'RunFilter'
