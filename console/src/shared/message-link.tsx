import { TextLink } from '../ui/basics/links.js';

interface MessageLinkProps {
  messageId: string;
  /** Account of the message, or null for a message that has no page to link to. */
  accountId: string | null;
  whole?: boolean;
}

/** Shows the end of the message ID, because the beginning is only a timestamp. */
export function MessageLink({ messageId, accountId, whole = false }: MessageLinkProps) {
  const label = whole ? messageId : `…${messageId.slice(-8)}`;
  if (accountId === null) return <span title={messageId}>{label}</span>;
  return (
    <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId }} title={messageId} inherit>
      {label}
    </TextLink>
  );
}
