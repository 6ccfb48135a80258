import { createPersonConditions } from "../shared/person-conditions.ts";
import { invitation, personAccount, personSession } from "./schema.ts";

export const { isOpenSession, passwordOf, isUsableLink } = createPersonConditions({
  invitation,
  personAccount,
  personSession,
});
