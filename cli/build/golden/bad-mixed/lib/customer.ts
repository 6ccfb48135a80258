import { z } from "zod";
import { order } from "./order";

export const customer = z.object({ name: z.string(), orders: z.array(order) });
