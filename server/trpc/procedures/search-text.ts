import { z } from "zod";

/** A search string for bodies and inputs. */
export const searchText = z.string().min(1).max(200);
