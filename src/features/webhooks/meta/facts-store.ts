import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';

/** What a body in Meta's shape tells beside the data of its event. */
export interface MetaFacts {
  channelId: string;
  /** Name of its carrier. */
  carrier: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** Of the channel. */
  carrierSettings: unknown;
  /** That the carrier names for channels which name none. */
  businessAccountId: string | null;
  /** Of the contact: as it is called here, and its id to linked portfolios. */
  name: string | null;
  parentUserId: string | null;
  /** Our id of the message that an inbound one quotes or reacts to; null where it is none that was sent here. */
  referredId: string | null;
}

/** Meta's id of what is quoted stands in the context, of what is reacted to in the reaction itself. */
const FACTS: PlannedStatement = {
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

/** The facts of deliveries of webhooks in Meta's format, by the id of the delivery. */
export async function findMetaFacts(connection: Connection, ids: readonly string[]): Promise<Map<string, MetaFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<MetaFacts & { id: string }>({ ...FACTS, values: [ids] });
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}
