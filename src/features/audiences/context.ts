import { type CountryDirectory, loadCountryDirectory } from '../../carriers/numbers/country-patterns.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import type { FieldType } from '../contacts/custom/field-values.js';
import { type AudienceScope, readFieldDefinitions } from './audience-store.js';

/** What the SQL of a condition depends on. */
export interface ConditionContext {
  channelId: string;
  /** Business time, for conditions such as "in the last 7 days". */
  now: Date;
  /** Types of the account's contact fields by key. */
  fieldTypes: ReadonlyMap<string, FieldType>;
  countries: CountryDirectory;
}

export async function loadConditionContext(
  connection: Connection,
  { accountId, channelId }: AudienceScope,
  now: Date,
): Promise<ConditionContext> {
  const fields = await readFieldDefinitions(connection, accountId);
  const fieldTypes = new Map(fields.map(({ key, type }) => [key, type]));
  return { channelId, now, fieldTypes, countries: await loadCountryDirectory() };
}
