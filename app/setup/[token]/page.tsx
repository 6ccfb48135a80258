import type { Metadata } from "next";
import { JoinForm, UnusableLink } from "../../../components/auth/link-forms.tsx";
import { signalbox } from "../../server.ts";

export const metadata: Metadata = { title: "Set up" };

export default async function SetupPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const invitation = await signalbox().findInvitation(token);
  if (invitation?.kind !== "setup") return <UnusableLink command="signalbox people setup-link" />;
  return <JoinForm title="Set up Signalbox" token={token} role={invitation.role} />;
}
