import type { WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { type BodyParts, deliveryBody } from './body.js';
import { metaBody } from './meta/body.js';
import { findMetaFacts, type MetaFacts } from './meta/facts-store.js';
import { findTwilioFacts } from './twilio/facts-store.js';
import { encodeForm, type TwilioFormFacts, twilioForm } from './twilio/form.js';

/** What the body of a delivery is made of beside its data, by the format of its webhook. */
export type FormatFacts =
  | { format: 'standard' }
  | { format: 'meta'; facts: MetaFacts }
  | { format: 'twilio'; facts: TwilioFormFacts };

const STANDARD: FormatFacts = { format: 'standard' };

/** Where facts are found, and what addresses in bodies begin with. */
export interface FactsPlace {
  pool: Connection;
  /** Scheme and host of this server, as programs reach it. */
  publicUrl: string;
}

/** The facts of deliveries, by their ids; nothing is asked for those in the standard format, which are not in it. */
export async function findFormatFacts(
  { pool, publicUrl }: FactsPlace,
  deliveries: readonly { id: string; format: WebhookFormat }[],
): Promise<ReadonlyMap<string, FormatFacts>> {
  const idsOf = (format: WebhookFormat) => deliveries.filter((each) => each.format === format).map(({ id }) => id);
  const found = new Map<string, FormatFacts>();
  for (const [id, facts] of await findMetaFacts(pool, idsOf('meta'))) found.set(id, { format: 'meta', facts });
  for (const [id, facts] of await findTwilioFacts(pool, idsOf('twilio'))) {
    found.set(id, { format: 'twilio', facts: { ...facts, publicUrl } });
  }
  return found;
}

/** The body of a delivery in the format of its webhook: the same at every try, and in the log. */
export function bodyIn(known: FormatFacts | undefined, parts: BodyParts): string {
  const told = known ?? STANDARD;
  if (told.format === 'meta') return metaBody(parts, told.facts);
  return told.format === 'twilio' ? encodeForm(twilioForm(parts, told.facts)) : deliveryBody(parts);
}
