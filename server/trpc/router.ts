import { changes } from "./procedures/changes.ts";
import { deliveriesGet } from "./procedures/deliveries-get.ts";
import { deliveriesList } from "./procedures/deliveries-list.ts";
import { overview } from "./procedures/overview.ts";
import { runsGet } from "./procedures/runs-get.ts";
import { runsList } from "./procedures/runs-list.ts";
import { runsTimeline } from "./procedures/runs-timeline.ts";
import { triggersList } from "./procedures/triggers-list.ts";
import { router } from "./trpc.ts";

export const appRouter = router({
  overview,
  runs: router({ list: runsList, get: runsGet, timeline: runsTimeline }),
  deliveries: router({ list: deliveriesList, get: deliveriesGet }),
  triggers: router({ list: triggersList }),
  changes,
});

export type AppRouter = typeof appRouter;
