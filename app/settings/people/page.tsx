import type { Metadata } from "next";
import { AdminsOnly } from "../../../components/settings/settings-nav.tsx";
import { People } from "../../../components/settings/people.tsx";
import { readAccess } from "../../server.ts";

export const metadata: Metadata = { title: "People" };

export default async function PeoplePage() {
  return (await readAccess())?.scope === "admin" ? <People /> : <AdminsOnly />;
}
