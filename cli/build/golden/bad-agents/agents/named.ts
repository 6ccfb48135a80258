import { defineAgent } from "signalbox/agent";

export default defineAgent({ slug: "named", model: "gpt-5" as never, instructions: "Sort." });
