import { defineWebhookSource } from "signalbox/trigger";
import { defineAgent } from "signalbox/agent";
import { z } from "zod";
import leftPad from "a-package-that-is-not-there";
import { deep } from "@acme/not-there/deep";
import missing from "../workflows/missing";
import { wrong } from "../lib/lib";

export default defineWebhookSource({ slug: "lost", endpoint: "lost", request: z.string().regex(leftPad) }).attach({ workflow: missing, transform: () => [defineAgent, deep, wrong] });
