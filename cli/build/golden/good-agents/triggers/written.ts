import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import triage from "../agents/triage";

export default defineWebhookSource({ slug: "written", endpoint: "tickets", request: z.object({ subject: z.string() }) }).attach({
  agent: triage,
  transform: ({ subject }) => ({ words: subject.split(" ") }),
  prompt: (value, text) => text`Words: ${value.words}`,
});
