import { z } from "zod";

/**
 * The facts of an audit: recorded by the clients, the sink and the killer, and read from the store at the end. Times
 * are by the auditor's clock.
 */
export interface Facts {
  orders: readonly Order[];
  /** The events for which the runs of some orders wait. */
  shipments?: readonly Shipment[];
  runs: readonly StoredRun[];
  /** Absent: they are not checked. */
  families?: Families;
  effects: readonly Effect[];
  kills: readonly Kill[];
  /** With several machines: the maximum time until others take over the runs of a dead one, ms. */
  takeOverWithinMs?: number;
  /** When runs were taken over from dead processes, if that is checked. */
  handBacks?: readonly HandBack[];
  /** With one service: each time when it was ready. */
  starts?: readonly number[];
  /** When the store was read. */
  endedAt?: number;
}

export interface HandBack {
  at: number;
  runId: string;
}

/** One event of a client, with all its repeats. Its id is in the payload. */
export interface Order {
  id: string;
  /** Its idempotency key; `null`: it was sent once, without one. */
  key: string | null;
  /** The attachments that must match it, sorted. */
  expected: readonly string[];
  /** The received responses. A broken connection leaves none. */
  answers: readonly Answer[];
  times?: RequestTimes;
  /** The key of its run, if it has one. */
  seat?: string;
  /** For so long, its run waits for a shipment, ms. Absent: it does not wait. */
  waitMs?: number;
  /** How its run must end. Default: it completes. */
  ending?: "failed" | "canceled";
}

/** When the first request was sent, and when its acknowledgement was received. */
export interface RequestTimes {
  sentAt: number;
  acknowledgedAt: number | null;
}

/** One event of a client for which the run of an order may wait, with all its repeats. Its id is in the payload. */
export interface Shipment {
  id: string;
  orderId: string;
  key: string | null;
  times: RequestTimes;
  answers: readonly Answer[];
}

export interface Answer {
  status: number;
  /** The runs in the response, by attachment. `null`: its body was incomplete. */
  runs: Readonly<Record<string, string>> | null;
}

export const storedRunSchema = z.object({
  id: z.string(),
  orderId: z.string(),
  attachmentId: z.string(),
  deliveryId: z.string().nullable(),
  status: z.string(),
  /** The shipment in its output. */
  shipmentId: z.string().nullable().optional(),
  /** When it was recorded, and due. Absent if that is not checked. */
  recordedAt: z.number().optional(),
});
export type StoredRun = z.infer<typeof storedRunSchema>;

const familySchema = z.object({ id: z.string(), status: z.string(), output: z.unknown().optional() });

/** Runs that have called others, the runs that others have called or started, and the steps of these calls. */
export const familiesSchema = z.object({
  parents: z.array(familySchema),
  children: z.array(
    familySchema.extend({ parentId: z.string(), step: z.string(), link: z.enum(["call", "kept_call", "start"]) }),
  ),
  calls: z.array(
    z.object({
      parentId: z.string(),
      step: z.string(),
      result: z.object({ runId: z.string(), status: z.string().optional(), output: z.unknown().optional() }),
    }),
  ),
});
export type Families = z.infer<typeof familiesSchema>;

/** A report of a step to the sink. */
export interface Effect {
  /** When it happened, regardless of when the sink received it. */
  at: number;
  runId: string;
  workflow: string;
  step: string;
  phase: "begin" | "done";
  pid: number;
  /** The start of the service to which the process belonged. */
  generation: number;
}

export interface Kill {
  at: number;
  /**
   * `stop` is SIGSTOP for longer than the lease: its runs are taken over. `supervisor`: the supervisor alone; its
   * children must exit by themselves. `postgres` is the whole database, and `connection` some of its backends: they
   * affect no process, and excuse no violation. `network`: a machine cannot reach the database. Its processes continue.
   * After a lease, others take over their runs. `block`: code blocks the event loop of a worker, which the service
   * ends.
   */
  kind:
    | "block"
    | "group"
    | "supervisor"
    | "receiver"
    | "web"
    | "worker"
    | "stop"
    | "postgres"
    | "connection"
    | "network";
  generation: number;
  /** `null`: every process of that generation. */
  pid: number | null;
  /** Processes of the service that were still alive long after its supervisor had ended. */
  outlivedBy?: readonly number[];
  /** When a database accepted connections again, or when a network was restored. */
  backAt?: number;
}

export const isAcknowledged = (order: Order): boolean => order.answers.some(({ status }) => status === 202);
