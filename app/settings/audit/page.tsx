import type { Metadata } from "next";
import { AdminsOnly } from "../../../components/settings/settings-nav.tsx";
import { AuditList } from "../../../components/settings/audit-list.tsx";
import { readAccess } from "../../server.ts";

export const metadata: Metadata = { title: "Audit log" };

export default async function AuditListPage() {
  return (await readAccess())?.scope === "admin" ? <AuditList /> : <AdminsOnly />;
}
