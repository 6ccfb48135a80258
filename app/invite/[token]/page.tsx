import type { Metadata } from "next";
import { JoinForm, UnusableLink } from "../../../components/auth/link-forms.tsx";
import { signalbox } from "../../server.ts";

export const metadata: Metadata = { title: "Invitation" };

export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const invitation = await signalbox().findInvitation(token);
  if (invitation?.kind !== "invitation") return <UnusableLink command={null} />;
  return <JoinForm title="You are invited" token={token} role={invitation.role} />;
}
