import { z } from "zod";
import { late } from "./late";

export const early = z.object({ late });
