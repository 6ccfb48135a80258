import { z } from "zod";

/**
 * What an audit goes by: written down by the clients, the sink and the killer, and read from the store at the end.
 * Times are the auditor's own.
 */
export interface Facts {
  orders: readonly Order[];
  runs: readonly StoredRun[];
  effects: readonly Effect[];
  kills: readonly Kill[];
  /** Where there are machines that live on: how soon they have what a dead one had, ms. */
  takeOverWithinMs?: number;
  /** When runs were taken from processes that were gone: where that is asked. */
  handBacks?: readonly HandBack[];
  /** Open runs without their job, and jobs without their run, at any moment at which that was asked. */
  disagreements?: readonly string[];
}

export interface HandBack {
  at: number;
  runId: string;
}

/** One event that a client has sent, with all repeats. Its id is in the payload. */
export interface Order {
  id: string;
  /** Its idempotency key; `null`: it was sent once, without one. */
  key: string | null;
  /** The attachments that must match it, sorted. */
  expected: readonly string[];
  /** Answers that came; a connection that broke leaves none. */
  answers: readonly Answer[];
}

export interface Answer {
  status: number;
  /** The runs that it named, by attachment; `null` where its body was cut off. */
  runs: Readonly<Record<string, string>> | null;
}

export const storedRunSchema = z.object({
  id: z.string(),
  orderId: z.string(),
  attachmentId: z.string(),
  deliveryId: z.string().nullable(),
  status: z.string(),
});
export type StoredRun = z.infer<typeof storedRunSchema>;

/** A report of a step to the sink. */
export interface Effect {
  /** When it happened, whenever the sink heard of it. */
  at: number;
  runId: string;
  workflow: string;
  step: string;
  phase: "begin" | "done";
  pid: number;
  /** Which start of the service the process belonged to. */
  generation: number;
}

export interface Kill {
  at: number;
  /**
   * `stop` is SIGSTOP for longer than the lease: to its runs the process is dead. `supervisor`: it alone; its children
   * have to leave by themselves. `postgres` is the database whole, `connection` some of its backends: they touch no
   * process, and excuse nothing. `network`: nothing passes between a machine and the database. Its processes continue;
   * if it lasts longer than a lease, others take their runs.
   */
  kind: "group" | "supervisor" | "receiver" | "web" | "worker" | "stop" | "postgres" | "connection" | "network";
  generation: number;
  /** `null`: every process of that generation. */
  pid: number | null;
  /** Processes of the service that were still there long after its supervisor was. */
  outlivedBy?: readonly number[];
  /** Of a database: when it took connections again. Of a network: when it was whole again. */
  backAt?: number;
}

export const isAcknowledged = (order: Order): boolean => order.answers.some(({ status }) => status === 202);
