import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({ slug: "work", input: z.unknown(), run: () => null });
