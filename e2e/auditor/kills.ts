import type { Kill } from "./facts.ts";
import { createMoments, type Moment, type Moments } from "./moments.ts";
import { isRunning } from "./processes.ts";
import type { Random } from "./random.ts";
import type { Service } from "./service.ts";

export interface PlannedKill {
  /** `stop`: a worker gets SIGSTOP and no SIGCONT. */
  kind: Kill["kind"];
  moment: Moment;
  /** For a moment in a step: only steps with this name. */
  step?: string;
  /** Maximum wait for the moment. Default: that of the audit. */
  momentMs?: number;
  afterMs: number;
}

/** The same seed gives the same plan. Its effects depend on timing. */
export function planKills(p: { random: Random; kills: number; gapMs: number }): PlannedKill[] {
  const { random } = p;
  const moments = {
    group: ["any", "acknowledged", "step_begun", "step_done"],
    supervisor: ["any", "acknowledged", "step_begun"],
    receiver: ["any", "acknowledged", "step_begun"],
    web: ["any", "acknowledged"],
    worker: ["any", "step_begun", "step_done"],
  } as const;
  return Array.from({ length: p.kills }, () => {
    const kind = random.pick([
      "group",
      "group",
      "group",
      "group",
      "supervisor",
      "receiver",
      "receiver",
      "web",
      "worker",
      "worker",
      "worker",
      "worker",
    ] as const);
    return { kind, moment: random.pick<Moment>(moments[kind]), afterMs: random.between(0, p.gapMs) };
  });
}

export interface Killer extends Omit<Moments, "at"> {
  /** Kills as planned. Returns the kill, or `null` if there was no such process. */
  kill(service: Service, planned: PlannedKill): Promise<Kill | null>;
}

export function createKiller(random: Random, p: { momentMs: number }): Killer {
  const moments = createMoments({ waitMs: p.momentMs });

  return {
    async kill(service, { kind, moment, momentMs, afterMs, step }) {
      const { generation } = service;
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      // Found in advance, because at the moment itself there is no time.
      const candidates = pidsOf(service, kind);
      const victim = candidates.length > 0 ? random.pick(candidates) : null;
      return await moments.at(
        moment,
        (effect) => {
          if (service.hasEnded()) return null;
          const at = performance.now();
          if (kind === "group" || kind === "supervisor") {
            if (kind === "group") service.signalGroup("SIGKILL");
            else process.kill(service.pid, "SIGKILL");
            return { at, kind, generation, pid: null };
          }
          const inStep = !isHttpProcess(kind) && effect?.generation === generation ? effect.pid : null;
          const pid = inStep ?? victim;
          if (pid === null || !isRunning(pid)) return null;
          process.kill(pid, kind === "stop" ? "SIGSTOP" : "SIGKILL");
          return { at, kind, generation, pid };
        },
        { step, waitMs: momentMs },
      );
    },
    sawAcknowledgement: moments.sawAcknowledgement,
    sawEffect: moments.sawEffect,
  };
}

/** The processes among which a kill of this kind chooses. */
export function pidsOf(service: Service, kind: Kill["kind"]): number[] {
  if (kind === "receiver") return service.receiver();
  return kind === "web" ? service.web() : service.workers();
}

export const isHttpProcess = (kind: Kill["kind"]): boolean => kind === "receiver" || kind === "web";
