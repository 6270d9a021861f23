import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { OptOutMeaning } from '../../opt-outs/keywords.js';

export interface TwilioFacts {
  accountId: string;
  /** Content type of the message, such as `image`; null for plain text and for other events. */
  contentType: string | null;
  /** The contact's name. */
  name: string | null;
  /** Message to which an inbound message replies; null if the account did not send that message. */
  repliedId: string | null;
  repliedType: string | null;
  /** Meanings of the account's own opt-out words, by word; null for other events than inbound messages. */
  ownWords: Readonly<Record<string, OptOutMeaning>> | null;
  /** Whether Heliograph replied to HELP. */
  isHelpAnswered: boolean;
}

const FIND_FACTS: PlannedStatement = {
  text: `
SELECT d.id, w.account_id AS "accountId", m.content ->> 'type' AS "contentType", c.name,
  replied.id AS "repliedId", replied.content ->> 'type' AS "repliedType",
  CASE d.type WHEN 'message.received' THEN (
    SELECT json_object_agg(o.word, o.meaning) FROM opt_out_words o WHERE o.account_id = w.account_id) END AS "ownWords",
  coalesce(inbound.keyword_reply ->> 'keyword' = 'help' AND inbound.keyword_reply ->> 'messageId' IS NOT NULL, false)
    AS "isHelpAnswered"
FROM webhook_deliveries d
JOIN webhooks w ON w.id = d.webhook_id
LEFT JOIN messages m ON d.type = 'message.status' AND m.id = (d.data ->> 'messageId')::uuid
LEFT JOIN inbound_messages inbound ON d.type = 'message.received' AND inbound.id = (d.data ->> 'messageId')::uuid
LEFT JOIN contacts c ON d.type = 'message.received' AND c.id = (d.data ->> 'contactId')::uuid
LEFT JOIN channels ch ON d.type = 'message.received' AND ch.id = (d.data ->> 'channelId')::uuid
LEFT JOIN carrier_references referred ON referred.carrier = ch.carrier
  AND referred.carrier_message_id = d.data #>> '{payload,context,id}'
LEFT JOIN messages replied ON replied.id = referred.message_id AND replied.account_id = w.account_id
WHERE d.id = ANY($1::uuid[])`,
};

/** By delivery ID. */
export async function findTwilioFacts(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, TwilioFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<TwilioFacts & { id: string }>({ ...FIND_FACTS, values: [ids] });
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
