import { billing } from "@lib/source";
import receipt from "../../workflows/mail/receipt.tsx";

export default billing.attach({ workflow: receipt });
