import { hmac, slack } from "signalbox/verify";

export const bySlack = slack({ secret: process.env["SIGNALBOX_NOT_SET_ANYWHERE"] });
export const byCrm = hmac({ secret: ["the secret of our own CRM", undefined], header: "X-Crm-Signature", timestamp: { header: "X-Crm-Time", tolerance: "1m" } });
