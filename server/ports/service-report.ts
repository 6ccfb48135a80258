import type { DeliveryNumbers, ServiceNumbers, StoreNumbers } from "../domain/tallies.ts";

/** Counts of the receiver since its start. Plain data: it is sent to the web process, which serves metrics. */
export interface ReceiverNumbers {
  deliveries: DeliveryNumbers;
  /** `null` if the store did not respond. */
  store: StoreNumbers | null;
  closedConnections: readonly { closed: ClosedConnection; count: number }[];
  rssBytes: number;
}

/** A connection that is closed because a limit is reached. */
export interface ClosedConnection {
  /** Of one client address, of all connections, the time in which a client must read, or requests that wait. */
  limit: "address" | "total" | "time" | "pipelined";
  /**
   * `stalled`: its client has not read its response for longest. `idle`: it was idle for longest. `new`: every other
   * has a request in flight. `waiting`: too many requests waited on it.
   */
  connection: "stalled" | "idle" | "new" | "waiting";
}

/** The report of the other processes of a service to the web process. */
export interface ServiceReport extends ServiceNumbers {
  receiverRestarts: number;
  /** `null`: it has not reported yet. */
  receiver: ReceiverNumbers | null;
}
