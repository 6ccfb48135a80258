import { z } from "zod";
import { z as z3 } from "zod/v3";
import { defineWebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";

// Every line that ends with `// error: …` must cause an error with that text, and no other line may cause one.

const welcome = defineWorkflow({ slug: "welcome", input: z.object({ to: z.string(), name: z.string().optional() }), run() {} });
const inThree = defineWorkflow({ slug: "in-three", input: z3.object({ to: z3.string() }), run() {} });
const signup = defineWebhookSource({ slug: "new-signup", endpoint: "signup", request: z.object({ name: z.string(), email: z.email() }) });

export const noTransform = signup.attach({ workflow: welcome }); // error: The payload of this source does not match the workflow's input: add transform

export const chained = defineWebhookSource({
  slug: "chained",
  endpoint: "signup",
  request: z.object({ to: z.number() }),
}).attach({ workflow: welcome }); // error: The payload of this source does not match the workflow's input: add transform

export const noTransformToThree = signup.attach({ workflow: inThree }); // error: The payload of this source does not match the workflow's input: add transform

export const missing = signup.attach({
  workflow: welcome,
  transform: (payload) => ({ name: payload.name }), // error: Property 'to' is missing
});

export const mistyped = signup.attach({
  workflow: welcome,
  transform: () => ({ to: 7 }), // error: Type 'number' is not assignable to type 'string'
});

export const misspelt = signup.attach({
  workflow: welcome,
  transform: (payload) => ({ to: payload.email, nmae: payload.name }), // error at nmae: The workflow's input has no field nmae: correct its name, or leave it out
});

export const misspeltLater = signup.attach({
  workflow: welcome,
  transform: async (payload) => ({ to: payload.email, nmae: payload.name }), // error: The workflow's input has no field nmae: correct its name, or leave it out
});

const invite = defineWorkflow({
  slug: "invite",
  input: z.object({
    guest: z.object({ address: z.object({ mail: z.string(), display: z.string().optional() }) }),
    lines: z.array(z.object({ sku: z.string(), quantity: z.int().optional() })).optional(),
  }),
  run() {},
});

export const misspeltInside = signup.attach({
  workflow: invite,
  transform: ({ email }) => ({
    guest: {
      address: {
        mail: email,
        dispaly: "Ada", // error at dispaly: The workflow's input has no field guest.address.dispaly: correct its name, or leave it out
      },
    },
  }),
});

export const misspeltItem = signup.attach({
  workflow: invite,
  transform: ({ email }) => ({
    guest: { address: { mail: email } },
    lines: [
      { sku: "a", quantity: 1 },
      { sku: "b", quantiy: 2 }, // error at quantiy: The workflow's input has no field lines.1.quantiy: correct its name, or leave it out
    ],
  }),
});

export const misspeltBlock = signup.attach({
  workflow: invite,
  transform({ email }) { // error at transform: The workflow's input has no field guest.address.dispaly: correct its name, or leave it out
    if (email === "") return { guest: { address: { mail: email } } };
    return { guest: { address: { mail: email, dispaly: "Ada" } } };
  },
});

export const unknownField = signup.attach({
  workflow: welcome,
  transform: (payload) => ({
    to: payload.emial, // error: Property 'emial' does not exist on type
  }),
});

export const wrongBlock = signup.attach({
  workflow: welcome,
  transform: (payload) => { // error: Property 'to' is missing
    return { name: payload.name };
  },
});

export const notAWorkflow = signup.attach({
  workflow: { slug: "welcome" }, // error: is missing the following properties from type 'Workflow
  transform: () => ({}),
});

export const notASchema = defineWebhookSource({
  slug: "plain",
  endpoint: "plain",
  request: { name: "string" }, // error: 'name' does not exist in type 'Schema'
});
