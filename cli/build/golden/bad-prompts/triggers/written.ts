import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import chat from "../agents/chat";

export default defineWebhookSource({ slug: "written", endpoint: "written", request: z.looseObject({}) }).attach({
  agent: chat,
  prompt: "{{ }} {{ subject.toUpperCase() }} \\{{ fine }} {{ any.thing }} {{ #if }} {{ open",
});
