import type { WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { type BodyParts, buildDeliveryBody } from './body.js';
import { buildMetaBody } from './meta/body.js';
import { findMetaFacts, type MetaFacts } from './meta/facts-store.js';
import { findTwilioFacts } from './twilio/facts-store.js';
import { buildTwilioForm, encodeForm, type TwilioFormFacts } from './twilio/form.js';

export type FormatFacts =
  | { format: 'standard' }
  | { format: 'meta'; facts: MetaFacts }
  | { format: 'twilio'; facts: TwilioFormFacts };

const STANDARD: FormatFacts = { format: 'standard' };

export interface FactsSource {
  pool: Connection;
  publicUrl: string;
}

/** By delivery ID. */
export async function findFormatFacts(
  { pool, publicUrl }: FactsSource,
  deliveries: readonly { id: string; format: WebhookFormat }[],
): Promise<ReadonlyMap<string, FormatFacts>> {
  const selectIds = (format: WebhookFormat) => deliveries.filter((each) => each.format === format).map(({ id }) => id);
  const factsById = new Map<string, FormatFacts>();
  for (const [id, facts] of await findMetaFacts(pool, selectIds('meta'))) factsById.set(id, { format: 'meta', facts });
  for (const [id, facts] of await findTwilioFacts(pool, selectIds('twilio'))) {
    factsById.set(id, { format: 'twilio', facts: { ...facts, publicUrl } });
  }
  return factsById;
}

export function formatBody(formatFacts: FormatFacts | undefined, parts: BodyParts): string {
  const facts = formatFacts ?? STANDARD;
  if (facts.format === 'meta') return buildMetaBody(parts, facts.facts);
  return facts.format === 'twilio' ? encodeForm(buildTwilioForm(parts, facts.facts)) : buildDeliveryBody(parts);
}
