import { createRandom } from "./random.ts";

export interface PlannedTrigger {
  slug: string;
  endpoint: string;
  workflow: string;
  attachmentId: string;
  /** The `type` of a body that it matches. */
  type: string;
}

export interface PlannedProject {
  /** In the order of their traffic, the busiest first. */
  endpoints: [PlannedTrigger, ...PlannedTrigger[]][];
  workflows: [string, ...string[]];
}

const areas = [
  "billing",
  "orders",
  "github",
  "signup",
  "crm",
  "support",
  "shipping",
  "payouts",
  "inventory",
  "events",
] as const;

/** A project with this number of triggers, always the same: about ten on each endpoint, and a workflow for about twenty. */
export function planProject(triggers: number): PlannedProject {
  const random = createRandom(triggers);
  const workflows: PlannedProject["workflows"] = ["handle-0"];
  for (let n = 1; n < triggers / 20; n += 1) workflows.push(`handle-${n}`);
  const endpoints: PlannedProject["endpoints"] = [];
  for (let made = 0; made < triggers;) {
    const endpoint = `${random.pick(areas)}/${endpoints.length}`;
    const planTrigger = (n: number): PlannedTrigger => {
      const slug = `${endpoint.replace("/", "-")}-rule-${n}`;
      const workflow = random.pick(workflows);
      return { slug, endpoint, workflow, attachmentId: `${slug}:${workflow}`, type: `type.${n}` };
    };
    const own: [PlannedTrigger, ...PlannedTrigger[]] = [planTrigger(0)];
    const wanted = Math.min(random.next() < 0.3 ? 1 : random.between(2, 24), triggers - made);
    while (own.length < wanted) own.push(planTrigger(own.length));
    endpoints.push(own);
    made += own.length;
  }
  return { endpoints, workflows };
}
