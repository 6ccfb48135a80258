import { z } from "zod";

/**
 * JSON that a person wrote, as a string: so nothing is lost, and errors have line and column. Its size is limited when
 * it is parsed.
 */
export const jsonText = z.string();
