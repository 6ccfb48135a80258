import { registerAgentsRun } from "./agents/run.ts";
import { registerFlowSimulate } from "./flow/simulate.ts";
import { registerAlertsList, registerAlertsTest } from "./alerts.ts";
import { registerBackup, registerRestore } from "./store/backup.ts";
import { registerBuild } from "./builds/build.ts";
import { registerBuildsList, registerBuildsRollback } from "./builds/builds.ts";
import type { CliCommand } from "./cli-command.ts";
import type { CommandRunner } from "./command-context.ts";
import { registerDeliveriesExplain, registerDeliveriesGet } from "./deliveries/get.ts";
import { registerDeliveriesList } from "./deliveries/list.ts";
import { registerDeliveriesRedeliver, registerDeliveriesRelease } from "./deliveries/release.ts";
import { registerDev } from "./dev/dev.ts";
import { registerDoctor } from "./doctor/doctor.ts";
import { registerFixturesPull } from "./fixtures/pull.ts";
import { registerInit } from "./init/init.ts";
import { registerKeysCreate } from "./keys/create.ts";
import { registerKeysList, registerKeysRevoke, registerKeysRotate } from "./keys/keys.ts";
import { registerMcp } from "./mcp/mcp.ts";
import {
  registerPeopleInvite,
  registerPeopleList,
  registerPeopleResetPassword,
  registerPeopleSetupLink,
} from "./people.ts";
import { registerRunsApprovals, registerRunsDecide } from "./runs/approvals.ts";
import { registerRunsGet } from "./runs/get.ts";
import { registerRunsList } from "./runs/list.ts";
import { registerRunsCancel, registerRunsReplay, registerRunsResume } from "./runs/replay.ts";
import { registerStart, registerWorker } from "./service/start.ts";
import { registerStoreCopy, registerStoreMigrate, registerStoreReindex } from "./store/store.ts";
import { registerTriggersList, registerTriggersSwitch, registerTriggersUrl } from "./triggers/triggers.ts";
import { registerTriggersDrift } from "./triggers/drift.ts";
import { registerTriggersInfer } from "./triggers/infer.ts";
import { registerTriggersRunsList } from "./triggers/runs-list.ts";
import { registerTriggersSend } from "./triggers/send.ts";
import { registerTriggersTest } from "./triggers/test.ts";

/** Registers all commands. */
export function registerCommands(program: CliCommand, runner: CommandRunner): void {
  registerDev(program, runner);
  registerBuild(program, runner);
  registerStart(program, runner);
  registerWorker(program, runner);

  const builds = program.subcommand("builds", "List the builds, and go back to an older one", [
    "signalbox builds list",
    "signalbox builds rollback",
  ]);
  registerBuildsList(builds, runner);
  registerBuildsRollback(builds, runner);

  const triggers = program.subcommand("triggers", "List, test and use the project's triggers", [
    "signalbox triggers list",
    "signalbox triggers url new-signup",
  ]);
  registerTriggersList(triggers, runner);
  registerTriggersUrl(triggers, runner);
  const triggerRuns = triggers.subcommand("runs", "List the runs of a trigger", [
    "signalbox triggers runs list new-signup",
  ]);
  registerTriggersRunsList(triggerRuns, runner);
  registerTriggersTest(triggers, runner);
  registerTriggersSend(triggers, runner);
  registerTriggersSwitch(triggers, runner);
  registerTriggersInfer(triggers, runner);
  registerTriggersDrift(triggers, runner);

  const deliveries = program.subcommand("deliveries", "Inspect, redeliver and release deliveries", [
    "signalbox deliveries list --outcome held",
    "signalbox deliveries release --endpoint billing --dry-run",
  ]);
  registerDeliveriesList(deliveries, runner);
  registerDeliveriesGet(deliveries, runner);
  registerDeliveriesExplain(deliveries, runner);
  registerDeliveriesRedeliver(deliveries, runner);
  registerDeliveriesRelease(deliveries, runner);

  const fixtures = program.subcommand("fixtures", "Write recorded deliveries to files, for tests", [
    "signalbox fixtures pull github",
  ]);
  registerFixturesPull(fixtures, runner);

  const runs = program.subcommand("runs", "Inspect, resume, replay and cancel runs, and approve tool calls", [
    "signalbox runs get run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  ]);
  registerRunsList(runs, runner);
  registerRunsGet(runs, runner);
  registerRunsResume(runs, runner);
  registerRunsReplay(runs, runner);
  registerRunsCancel(runs, runner);
  registerRunsApprovals(runs, runner);
  registerRunsDecide(runs, runner);

  const flow = program.subcommand("flow", "Try limits on recorded runs", [
    "signalbox flow simulate --workflow charge --concurrency-per-key 1",
  ]);
  registerFlowSimulate(flow, runner);

  const agents = program.subcommand("agents", "Run the project's agents", [
    'signalbox agents run triage --prompt "Hello"',
  ]);
  registerAgentsRun(agents, runner);

  const keys = program.subcommand("keys", "Manage webhook keys and API tokens", [
    "signalbox keys list",
    "signalbox keys create --name github",
  ]);
  registerKeysCreate(keys, runner);
  registerKeysList(keys, runner);
  registerKeysRotate(keys, runner);
  registerKeysRevoke(keys, runner);

  const people = program.subcommand("people", "Manage the accounts of a deployed service", [
    "signalbox people setup-link",
    "signalbox people invite --role operator",
  ]);
  registerPeopleList(people, runner);
  registerPeopleInvite(people, runner);
  registerPeopleResetPassword(people, runner);
  registerPeopleSetupLink(people, runner);

  const alerts = program.subcommand("alerts", "List alerts, and send a test alert", [
    "signalbox alerts list --status active",
    "signalbox alerts test",
  ]);
  registerAlertsList(alerts, runner);
  registerAlertsTest(alerts, runner);

  const store = program.subcommand(
    "store",
    "Migrate the store, rebuild its list index, or copy it to another database",
    [
      "signalbox store migrate",
      "signalbox store copy --from file:./.signalbox/signalbox.db --to postgres://signalbox@db.internal/signalbox",
    ],
  );
  registerStoreMigrate(store, runner);
  registerStoreReindex(store, runner);
  registerStoreCopy(store, runner);

  registerBackup(program, runner);
  registerRestore(program, runner);
  registerDoctor(program, runner);

  registerInit(program, runner);
  registerMcp(program, runner);
}
