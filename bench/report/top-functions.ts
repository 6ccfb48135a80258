import { basename } from "node:path";
import { z } from "zod";

/** The part of V8's `--cpu-prof` format that is read here. */
const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
  /** Added by `profile-on-signal.ts`: what the process ran. */
  program: z.string(),
});

export interface ProfileSummary {
  /** The program that the process ran: `web`, `worker`, `cli`. */
  program: string;
  busyMs: number;
  idleMs: number;
  /** Sorted by self time. `part` is the share of the busy time. */
  functions: { name: string; place: string; ms: number; part: number }[];
}

/** The functions in which a process spent its time. Throws a ZodError if the text is not a profile. */
export function summarizeProfile(json: unknown, most: number): ProfileSummary {
  const { nodes, samples, timeDeltas, program } = profileSchema.parse(json);
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const totals = new Map<string, { name: string; place: string; ms: number }>();
  let [busyMs, idleMs] = [0, 0];
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const ms = Math.max(timeDeltas[at] ?? 0, 0) / 1000;
    // Beginning the profile takes time of its own.
    if (frame?.url === "node:inspector") continue;
    if (!frame || frame.functionName === "(idle)") {
      idleMs += ms;
      continue;
    }
    busyMs += ms;
    const name = frame.functionName || "(anonymous)";
    const place = placeOf(frame.url, frame.lineNumber);
    const total = totals.get(`${name} ${place}`) ?? { name, place, ms: 0 };
    total.ms += ms;
    totals.set(`${name} ${place}`, total);
  }
  const functions = [...totals.values()]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map((total) => ({ ...total, part: total.ms / busyMs }));
  return { program: basename(program).replace(/\.[cm]?[jt]s$/, ""), busyMs, idleMs, functions };
}

/** The last folders of the path identify the file. */
function placeOf(url: string, lineNumber: number): string {
  if (url === "") return "native";
  return `${url
    .replace(/^file:\/\//, "")
    .split("/")
    .slice(-3)
    .join("/")}:${lineNumber + 1}`;
}
