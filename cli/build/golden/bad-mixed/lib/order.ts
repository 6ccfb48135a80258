import { z } from "zod";
import { customer } from "./customer";

export const order = z.object({ id: z.string(), customer });
