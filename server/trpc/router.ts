import { accessProcedure, accountRouter } from "./procedures/account.ts";
import { alertsRouter } from "./procedures/alerts.ts";
import { buildsRouter } from "./procedures/builds.ts";
import { canvasRouter } from "./procedures/canvas.ts";
import { deliveriesRouter } from "./procedures/deliveries.ts";
import { keysRouter } from "./procedures/keys.ts";
import { liveProcedure, projectRouter } from "./procedures/live.ts";
import { auditRouter, invitationsRouter, peopleRouter } from "./procedures/people.ts";
import { presetsRouter } from "./procedures/presets.ts";
import { runsRouter } from "./procedures/runs.ts";
import { searchProcedure } from "./procedures/search.ts";
import { targetsRouter } from "./procedures/targets.ts";
import { triggersRouter } from "./procedures/triggers.ts";
import { router } from "./trpc.ts";

/** The procedures of the app, by namespace. */
export const appRouter = router({
  access: accessProcedure,
  account: accountRouter,
  alerts: alertsRouter,
  audit: auditRouter,
  builds: buildsRouter,
  canvas: canvasRouter,
  deliveries: deliveriesRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  live: liveProcedure,
  people: peopleRouter,
  presets: presetsRouter,
  project: projectRouter,
  runs: runsRouter,
  search: searchProcedure,
  targets: targetsRouter,
  triggers: triggersRouter,
});

export type AppRouter = typeof appRouter;
