import { z } from "zod";

/** What somebody looks for in bodies and inputs. */
export const searchText = z.string().min(1).max(200);
