import { custom, gitlab, mailgun, meta, sns } from "signalbox/verify";

export const byAcme = custom({ name: "acme", secret: process.env["SIGNALBOX_NOT_SET_ANYWHERE"], signedHeaders: ["X-Acme-Id"], check: ({ secrets }) => secrets.length > 0 });
export const byGitLab = gitlab({ secret: "the secret of a test project" });
export const byMailgun = mailgun({ secret: "the secret of a test project" });
export const byMeta = meta({ secret: "the secret of a test project", verifyToken: process.env["SIGNALBOX_NOT_SET_ANYWHERE"] });
export const bySns = sns({ topicArn: process.env["SIGNALBOX_NOT_SET_ANYWHERE"], confirmSubscriptions: true });
