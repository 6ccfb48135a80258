import { describeTables } from "../../core/tables.ts";
import { columnTypes } from "./columns.ts";

export const coreTables = describeTables(columnTypes);

// drizzle-kit finds exported tables only.
export const {
  alert,
  alertMessage,
  alertWatch,
  webhookKey,
  person,
  personSession,
  personAccount,
  personVerification,
  removedPerson,
  invitation,
  auditEntry,
  preset,
  triggerSwitch,
  runStart,
  eventContract,
  waitPaths,
  contentKey,
  clockWatch,
} = coreTables;
