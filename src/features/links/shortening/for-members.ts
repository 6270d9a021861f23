import { type CustomValues, formatValue } from '../../contacts/custom/field-values.js';
import { listOrigins, type Shortener } from './shorten-text.js';

type Variables = Readonly<Record<string, string>> | null | undefined;

export interface MemberValues {
  fields?: CustomValues | null | undefined;
  variables?: Variables;
}

/**
 * Returns a function that builds the shortener of one member's message. Links of the sender are shortened: those in `texts`, in
 * variables and in custom fields, but not those in the name of a contact, which WhatsApp lets people choose themselves.
 * @param texts with placeholders
 */
export function createMemberShortener(
  shortener: Omit<Shortener, 'origins'>,
  texts: readonly string[],
  campaignVariables: Variables,
): (member: MemberValues) => Shortener {
  const shared = listOrigins([...texts, ...Object.values(campaignVariables ?? {})]);
  return ({ fields, variables }) => {
    const memberOrigins = listOrigins([
      ...Object.values(variables ?? {}),
      ...Object.values(fields ?? {}).map(formatValue),
    ]);
    return { ...shortener, origins: memberOrigins.size === 0 ? shared : new Set([...shared, ...memberOrigins]) };
  };
}
