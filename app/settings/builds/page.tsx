import type { Metadata } from "next";
import { Builds } from "../../../components/settings/builds.tsx";
import { AdminsOnly } from "../../../components/settings/settings-nav.tsx";
import { readAccess } from "../../server.ts";

export const metadata: Metadata = { title: "Builds" };

export default async function BuildsPage() {
  return (await readAccess())?.scope === "admin" ? <Builds /> : <AdminsOnly />;
}
