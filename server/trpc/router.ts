import { accessProcedure, accountRouter } from "./procedures/account.ts";
import { buildsRouter } from "./procedures/builds.ts";
import { canvasRouter } from "./procedures/canvas.ts";
import { changesProcedure, projectRouter } from "./procedures/changes.ts";
import { deliveriesRouter } from "./procedures/deliveries.ts";
import { keysRouter } from "./procedures/keys.ts";
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
  audit: auditRouter,
  builds: buildsRouter,
  canvas: canvasRouter,
  changes: changesProcedure,
  deliveries: deliveriesRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  people: peopleRouter,
  presets: presetsRouter,
  project: projectRouter,
  runs: runsRouter,
  search: searchProcedure,
  targets: targetsRouter,
  triggers: triggersRouter,
});

export type AppRouter = typeof appRouter;
