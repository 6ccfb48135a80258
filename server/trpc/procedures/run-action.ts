import { z } from "zod";

export const runActionSchema = z.enum(["cancel", "replay"]);
