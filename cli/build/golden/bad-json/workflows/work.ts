import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import rates from "../data/rates.json";
import again from "../data/rates.json" with { type: "json" };

export default defineWorkflow({ slug: "work", input: z.any(), run: () => [rates, again] });
