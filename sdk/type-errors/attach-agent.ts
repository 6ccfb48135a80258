import { z } from "zod";
import { defineAgent } from "signalbox/agent";
import { defineWebhookSource } from "signalbox/trigger";

// Every line that ends with `// error: …` must cause an error with that text, and no other line may cause one.

const model = { specificationVersion: "v4", provider: "mine", modelId: "mine-1", doStream: () => Promise.resolve({ stream: null }) };
const chat = defineAgent({ slug: "chat", model, instructions: "Answer." });
const ticket = defineWebhookSource({ slug: "ticket", endpoint: "ticket", request: z.object({ subject: z.string() }) });

export const wrongPath = ticket.attach({
  agent: chat,
  transform: (payload) => ({ from: payload.subject, words: [payload.subject] }),
  prompt: "{{ words.0 }} of {{ form }}", // error: The result of transform has no form: correct the path between {{ and }}
});

export const wrongPayload = ticket.attach({
  agent: chat,
  prompt: (payload) => payload.subjcet, // error: Property 'subjcet' does not exist on type
});

export const notAModel = defineAgent({
  slug: "chat",
  model: "gpt-5", // error: Type 'string' is not assignable to type 'ModelLike'
  instructions: "Answer.",
});
