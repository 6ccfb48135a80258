import { billing } from "@lib/source";
import { ledger } from "../../lib/targets";

export default billing.attach({ workflow: ledger, transform: ({ id }) => ({ id }) });
