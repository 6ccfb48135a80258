import type { Facts, Families } from "./facts.ts";

type Child = Families["children"][number];

const openStatuses = new Set(["queued", "running", "waiting"]);
const isOpen = ({ status }: { status: string }) => openStatuses.has(status);
const nameOf = ({ parentId, step }: { parentId: string; step: string }) => `${parentId} ${step}`;
const isAwaited = ({ link }: Child) => link !== "start";

/** What must be impossible for runs that call and start other runs. Each returns descriptions of the violations. */
export const familyRules = {
  "no step has two child runs": ({ families }) =>
    [...Map.groupBy(families?.children ?? [], nameOf)]
      .filter(([, children]) => children.length > 1)
      .map(([name, children]) => `${name} has ${children.map(({ id }) => id).join(" and ")}`),

  "every child run has its step, and every step its child run": ({ families }) => {
    const { children = [], calls = [] } = families ?? {};
    const runOf = new Map(calls.map((call) => [nameOf(call), call.result.runId]));
    const parentOf = new Map(children.map((child) => [child.id, nameOf(child)]));
    return [
      ...children
        .filter((child) => runOf.get(nameOf(child)) !== child.id)
        .map((child) => `${child.id} is the child of ${nameOf(child)}, which has ${runOf.get(nameOf(child))}`),
      ...calls
        .filter((call) => parentOf.get(call.result.runId) !== nameOf(call))
        .map((call) => `${nameOf(call)} has ${call.result.runId}, which is not its child`),
    ];
  },

  "a run continues only with the ends of the child runs that it waited for": ({ families }) => {
    const { parents = [], children = [], calls = [] } = families ?? {};
    const resultOf = new Map(calls.map((call) => [nameOf(call), call.result]));
    const childrenOf = Map.groupBy(children.filter(isAwaited), ({ parentId }) => parentId);
    return parents.flatMap(({ id, status, output }) => {
      const awaited = childrenOf.get(id) ?? [];
      const isCompleted = status === "completed";
      const wrong = awaited.flatMap((child) => {
        const { status: stored, output: value = null } = resultOf.get(nameOf(child)) ?? {};
        if (stored === undefined) return isCompleted ? [`${id} has completed without the end of ${child.id}`] : [];
        if (stored === child.status && isSame(value, child.output)) return [];
        return [`${id} has ${stored} as the end of ${child.id}, which is ${child.status}`];
      });
      if (!isCompleted) return wrong;
      const expected = awaited.map((child) => `${child.id} ${child.status}`).toSorted();
      const received = readParts(output).toSorted();
      return isSame(received, expected)
        ? wrong
        : [...wrong, `${id} has returned ${received.join(", ")} instead of ${expected.join(", ")}`];
    });
  },

  "no run sleeps although all its child runs have ended": ({ families }) => {
    const { parents = [], children = [] } = families ?? {};
    const withOpen = new Set(
      children.filter((child) => isAwaited(child) && isOpen(child)).map(({ parentId }) => parentId),
    );
    return parents
      .filter(({ id, status }) => status === "waiting" && !withOpen.has(id))
      .map(({ id }) => `${id} is waiting, and none of its child runs is open`);
  },

  "no child run is open after its parent has failed or was canceled": ({ families }) => {
    const { parents = [], children = [] } = families ?? {};
    const failed = new Set(
      parents.filter(({ status }) => status === "failed" || status === "canceled").map(({ id }) => id),
    );
    return children
      .filter((child) => child.link === "call" && isOpen(child) && failed.has(child.parentId))
      .map(({ id, status, parentId }) => `${id} is ${status}, and its parent ${parentId} has ended`);
  },

  "only the child runs of a run that failed or was canceled are canceled, and all end": ({ families }) => {
    const { parents = [], children = [] } = families ?? {};
    const statusOf = new Map(parents.map(({ id, status }) => [id, status]));
    return children.flatMap((child) => {
      const { id, link, status, parentId } = child;
      if (isOpen(child)) return [`${id}, a child of ${parentId}, is ${status}`];
      const hasFailed = statusOf.get(parentId) === "failed" || statusOf.get(parentId) === "canceled";
      return status === "canceled" && !(link === "call" && hasFailed)
        ? [`${id}, a child of ${parentId}, was canceled, although that is ${statusOf.get(parentId)}`]
        : [];
    });
  },
} satisfies Record<string, (facts: Pick<Facts, "families">) => string[]>;

/** The ends that the code of a run has returned. */
function readParts(output: unknown): string[] {
  const parts: unknown = Reflect.get(Object(output), "parts");
  return Array.isArray(parts) ? parts.map((part) => `${String(part?.runId)} ${String(part?.status)}`) : [];
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
