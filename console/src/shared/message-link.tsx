import { TextLink } from '../ui/basics/links.js';

interface MessageLinkProps {
  messageId: string;
  /** Null: no link, because the message has no page. */
  accountId: string | null;
  whole?: boolean;
}

/** Shows the end of the ID, because the beginning is only a timestamp. */
export function MessageLink({ messageId, accountId, whole = false }: MessageLinkProps) {
  const label = whole ? messageId : `…${messageId.slice(-8)}`;
  if (accountId === null) return <span title={messageId}>{label}</span>;
  return (
    <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId }} title={messageId} inherit>
      {label}
    </TextLink>
  );
}
