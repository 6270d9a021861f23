import { callingCodeOf, mainRegionOf } from './phone-numbers.js';

/** Why messages to a number may cost far more than others, or earn somebody a share of what they cost. */
export type Risk = 'premium rate' | 'shared cost' | 'satellite' | 'international network';

/** Where an address lies. */
export interface Destination {
  /** ISO 3166 code; null of numbers of no country. */
  country: string | null;
  risk: Risk | null;
}

/** Calling codes of no country (ITU-T E.164, "List of ITU-T Recommendation E.164 assigned country codes"). */
const NETWORKS: ReadonlyMap<string, Risk> = new Map([
  ['808', 'shared cost'],
  ['870', 'satellite'],
  ['878', 'international network'],
  ['881', 'satellite'],
  ['882', 'international network'],
  ['883', 'international network'],
  ['888', 'international network'],
  ['979', 'premium rate'],
]);

/** By libphonenumber's types of numbers. */
const TYPES: Readonly<Record<string, Risk>> = { PREMIUM_RATE: 'premium rate', SHARED_COST: 'shared cost' };

/** @param address the digits of a number, or a user id of WhatsApp */
export type FindDestination = (address: string) => Destination;

let loaded: Promise<FindDestination> | undefined;

/** What tells destinations. The numbering plans that it needs are some 150 kB, and read when they are first asked for. */
export function destinations(): Promise<FindDestination> {
  loaded ??= import('libphonenumber-js/max').then(({ parsePhoneNumberFromString }) => (address) => {
    if (address[2] === '.') return { country: address.slice(0, 2), risk: null };
    const code = callingCodeOf(address) ?? '';
    const network = NETWORKS.get(code);
    if (network) return { country: null, risk: network };
    const number = parsePhoneNumberFromString(`+${address}`);
    // A number that no plan has is that of the country with most numbers of its calling code.
    const country = number?.country ?? mainRegionOf(code)?.region ?? null;
    return { country, risk: TYPES[number?.getType() ?? ''] ?? null };
  });
  return loaded;
}
