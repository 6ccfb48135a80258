import { access } from "./procedures/access.ts";
import { accountChangePassword, accountEndSession, accountSessions } from "./procedures/account.ts";
import { auditList } from "./procedures/audit-list.ts";
import { canvasActivity } from "./procedures/canvas-activity.ts";
import { canvasGraph } from "./procedures/canvas-graph.ts";
import { canvasPulses } from "./procedures/canvas-pulses.ts";
import { changes } from "./procedures/changes.ts";
import { deliveriesGet } from "./procedures/deliveries-get.ts";
import { deliveriesHistogram } from "./procedures/deliveries-histogram.ts";
import { deliveriesList } from "./procedures/deliveries-list.ts";
import { deliveriesRedeliver } from "./procedures/deliveries-redeliver.ts";
import { deliveriesSend } from "./procedures/deliveries-send.ts";
import { keysCreate, keysList, keysRevoke, keysRotate, keysShow } from "./procedures/keys.ts";
import {
  invitationsCreate,
  invitationsList,
  invitationsRevoke,
  peopleChangeRole,
  peopleEndSession,
  peopleList,
  peopleMakeResetLink,
  peopleRemove,
  peopleSessions,
} from "./procedures/people.ts";
import { presetsList } from "./procedures/presets-list.ts";
import { presetsRemove } from "./procedures/presets-remove.ts";
import { presetsSave } from "./procedures/presets-save.ts";
import { projectFailedBuild } from "./procedures/project-failed-build.ts";
import { runsAct } from "./procedures/runs-act.ts";
import { runsByIds } from "./procedures/runs-by-ids.ts";
import { runsBulk } from "./procedures/runs-bulk.ts";
import { runsAgent } from "./procedures/runs-agent.ts";
import { runsDecide } from "./procedures/runs-decide.ts";
import { runsCancel } from "./procedures/runs-cancel.ts";
import { runsCount } from "./procedures/runs-count.ts";
import { runsGet } from "./procedures/runs-get.ts";
import { runsUsage } from "./procedures/runs-usage.ts";
import { runsList } from "./procedures/runs-list.ts";
import { runsReplay } from "./procedures/runs-replay.ts";
import { runsTimeline } from "./procedures/runs-timeline.ts";
import { search } from "./procedures/search.ts";
import { targetsGet } from "./procedures/targets-get.ts";
import { targetsRecentInputs } from "./procedures/targets-recent-inputs.ts";
import { targetsRun } from "./procedures/targets-run.ts";
import { triggersGet } from "./procedures/triggers-get.ts";
import { triggersList } from "./procedures/triggers-list.ts";
import { triggersNames } from "./procedures/triggers-names.ts";
import { triggersDisable, triggersDisabled, triggersEnable } from "./procedures/triggers-switch.ts";
import { triggersUrl } from "./procedures/triggers-url.ts";
import { triggersVerdicts } from "./procedures/triggers-verdicts.ts";
import { router } from "./trpc.ts";

export const appRouter = router({
  access,
  project: router({ failedBuild: projectFailedBuild }),
  canvas: router({ graph: canvasGraph, activity: canvasActivity, pulses: canvasPulses }),
  triggers: router({
    list: triggersList,
    names: triggersNames,
    get: triggersGet,
    url: triggersUrl,
    verdicts: triggersVerdicts,
    disabled: triggersDisabled,
    disable: triggersDisable,
    enable: triggersEnable,
  }),
  targets: router({ get: targetsGet, run: targetsRun, recentInputs: targetsRecentInputs }),
  runs: router({
    list: runsList,
    byIds: runsByIds,
    get: runsGet,
    timeline: runsTimeline,
    agent: runsAgent,
    decide: runsDecide,
    count: runsCount,
    usage: runsUsage,
    cancel: runsCancel,
    replay: runsReplay,
    bulk: runsBulk,
    act: runsAct,
  }),
  deliveries: router({
    list: deliveriesList,
    get: deliveriesGet,
    send: deliveriesSend,
    redeliver: deliveriesRedeliver,
    histogram: deliveriesHistogram,
  }),
  presets: router({ list: presetsList, save: presetsSave, remove: presetsRemove }),
  account: router({ sessions: accountSessions, endSession: accountEndSession, changePassword: accountChangePassword }),
  people: router({
    list: peopleList,
    changeRole: peopleChangeRole,
    remove: peopleRemove,
    makeResetLink: peopleMakeResetLink,
    sessions: peopleSessions,
    endSession: peopleEndSession,
  }),
  invitations: router({ list: invitationsList, create: invitationsCreate, revoke: invitationsRevoke }),
  keys: router({ list: keysList, create: keysCreate, rotate: keysRotate, revoke: keysRevoke, show: keysShow }),
  audit: router({ list: auditList }),
  search,
  changes,
});

export type AppRouter = typeof appRouter;
