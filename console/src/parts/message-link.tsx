import { TextLink } from '../ui/basics/links.js';

interface MessageLinkProps {
  messageId: string;
  /** Null: it has no page of its own. */
  accountId: string | null;
  whole?: boolean;
}

/** A message by the last characters of its id, for the first ones are its time; and the way to it. */
export function MessageLink({ messageId, accountId, whole = false }: MessageLinkProps) {
  const shown = whole ? messageId : `…${messageId.slice(-8)}`;
  if (accountId === null) return <span title={messageId}>{shown}</span>;
  return (
    <TextLink to="/a/$accountId/messages/$messageId" params={{ accountId, messageId }} title={messageId} inherit>
      {shown}
    </TextLink>
  );
}
