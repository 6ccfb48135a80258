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
  /** The share of one client address, the limit of all connections, or the time in which a client must read. */
  limit: "address" | "total" | "time";
  /**
   * The connection whose client has not read its response for longest, the one that was idle for longest, or the new
   * one because every other has a request in flight.
   */
  connection: "stalled" | "idle" | "new";
}

/** The report of the other processes of a service to the web process. */
export interface ServiceReport extends ServiceNumbers {
  receiverRestarts: number;
  /** `null`: it has not reported yet. */
  receiver: ReceiverNumbers | null;
}
