import type { WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { type BodyParts, deliveryBody } from './body.js';
import { metaBody } from './meta/body.js';
import { findMetaFacts, type MetaFacts } from './meta/facts-store.js';
import { findTwilioFacts, type TwilioFacts } from './twilio/facts-store.js';
import { encodeForm, twilioForm } from './twilio/form.js';

/** What the body of a delivery is made of beside its data, by the format of its webhook. */
export type FormatFacts =
  | { format: 'standard' }
  | { format: 'meta'; facts: MetaFacts }
  | { format: 'twilio'; facts: TwilioFacts };

const STANDARD: FormatFacts = { format: 'standard' };

/** The facts of deliveries, by their ids; nothing is asked for those in the standard format, which are not in it. */
export async function findFormatFacts(
  connection: Connection,
  deliveries: readonly { id: string; format: WebhookFormat }[],
): Promise<ReadonlyMap<string, FormatFacts>> {
  const idsOf = (format: WebhookFormat) => deliveries.filter((each) => each.format === format).map(({ id }) => id);
  const found = new Map<string, FormatFacts>();
  for (const [id, facts] of await findMetaFacts(connection, idsOf('meta'))) found.set(id, { format: 'meta', facts });
  for (const [id, facts] of await findTwilioFacts(connection, idsOf('twilio'))) {
    found.set(id, { format: 'twilio', facts });
  }
  return found;
}

/** The body of a delivery in the format of its webhook: the same at every try, and in the log. */
export function bodyIn(known: FormatFacts | undefined, parts: BodyParts): string {
  const told = known ?? STANDARD;
  if (told.format === 'meta') return metaBody(parts, told.facts);
  return told.format === 'twilio' ? encodeForm(twilioForm(parts, told.facts)) : deliveryBody(parts);
}
