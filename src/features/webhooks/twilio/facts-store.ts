import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export interface TwilioFacts {
  accountId: string;
  /** Content type of the message, such as `image`; null for plain text and for other events. */
  contentType: string | null;
  /** The contact's name. */
  name: string | null;
  /** Message to which an inbound message replies; null if the account did not send that message. */
  repliedId: string | null;
  repliedType: string | null;
}

const FIND_FACTS: PlannedStatement = {
  text: `
SELECT d.id, w.account_id AS "accountId", m.content ->> 'type' AS "contentType", c.name,
  replied.id AS "repliedId", replied.content ->> 'type' AS "repliedType"
FROM webhook_deliveries d
JOIN webhooks w ON w.id = d.webhook_id
LEFT JOIN messages m ON d.type = 'message.status' AND m.id = (d.data ->> 'messageId')::uuid
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
