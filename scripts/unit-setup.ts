import { configureGlobal } from "fast-check";
import { listBudget } from "../server/store/shared/read-list.ts";

/** Setup of the unit tests. */

// Property tests generate the same values all day, and others tomorrow. A failure prints its seed; `PROPERTY_SEED` repeats it.
const today = Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));
configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? today) });

// On a busy machine a list would end early, with a cursor: that is correct, but not what most tests are about.
Object.assign(listBudget, { pageMs: 60_000, sqliteLookMs: 60_000 });
