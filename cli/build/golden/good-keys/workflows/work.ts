import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({ slug: "work", input: z.unknown(), concurrency: { limit: 20, perKey: 1, onFailure: "block" }, run: () => null });
