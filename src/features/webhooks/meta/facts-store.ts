import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';

export interface MetaFacts {
  channelId: string;
  carrier: string;
  /** Digits with country code. */
  phoneNumber: string;
  carrierSettings: unknown;
  /** The carrier's default for channels without their own business account ID. */
  businessAccountId: string | null;
  /** Name of the contact to whom `parentUserId` also belongs. */
  name: string | null;
  parentUserId: string | null;
  /**
   * Heliograph's ID for the message that an inbound message quotes or reacts to; null if this server did not send that
   * message.
   */
  referredId: string | null;
}

/** Meta reports the ID of a quoted message in `context`, and the ID of a message with a reaction in `reaction`. */
const FIND_FACTS: PlannedStatement = {
  text: `
SELECT d.id, ch.id AS "channelId", ch.carrier, ch.phone_number AS "phoneNumber", ch.carrier_settings AS "carrierSettings",
  ca.settings ->> 'businessAccountId' AS "businessAccountId", c.name, c.parent_user_id AS "parentUserId",
  referred.message_id AS "referredId"
FROM webhook_deliveries d
JOIN webhooks w ON w.id = d.webhook_id
JOIN channels ch ON ch.id = w.channel_id
LEFT JOIN carriers ca ON ca.name = ch.carrier
LEFT JOIN contacts c ON c.id = (d.data ->> 'contactId')::uuid AND c.channel_id = ch.id
LEFT JOIN carrier_references referred ON referred.carrier = ch.carrier
  AND referred.carrier_message_id = coalesce(d.data #>> '{payload,context,id}', d.data #>> '{payload,message_id}')
WHERE d.id = ANY($1::uuid[])`,
};

/** By delivery ID. */
export async function findMetaFacts(connection: Connection, ids: readonly string[]): Promise<Map<string, MetaFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<MetaFacts & { id: string }>({ ...FIND_FACTS, values: [ids] });
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
