import { z } from "zod";
import { early } from "./early";

export const late = z.object({ early: early.optional() });
