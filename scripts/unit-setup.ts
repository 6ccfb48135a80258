import { configureGlobal } from "fast-check";
import { seedByDate } from "./seed-by-date.ts";
import { listBudget } from "../server/domain/list-budget.ts";

/** Setup of the unit tests. */

// Property tests generate the same values all day, and others tomorrow. A failure prints its seed; `PROPERTY_SEED` repeats it.
configureGlobal({ seed: seedByDate("PROPERTY_SEED") });

// On a busy machine a list would end early, with a cursor: that is correct, but not what most tests are about.
Object.assign(listBudget, { pageMs: 60_000, sqliteScanMs: 60_000 });
