import { z } from "zod";

/**
 * JSON of people's comes as they wrote it: so nothing of it is lost, and errors bear line and column. Bounded when it
 * is parsed.
 */
export const jsonText = z.string();
