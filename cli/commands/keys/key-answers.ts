import { z } from "zod";
import { keySchema } from "../../../server/contract/key.ts";

export const keysAnswer = z.object({ data: z.array(keySchema) });
export const createdKeyAnswer = keySchema.extend({ secret: z.string() });
export const rotatedKeyAnswer = z.object({ key: createdKeyAnswer, old: keySchema });
