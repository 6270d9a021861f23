import { findCallingCode, findMainRegion } from './phone-numbers.js';

/** Kinds of numbers to which messages are expensive, or earn a third party a share of their price. */
export type Risk = 'premium rate' | 'shared cost' | 'satellite' | 'international network';

export interface Destination {
  /** ISO 3166 code, or null for numbers that belong to no country. */
  country: string | null;
  risk: Risk | null;
}

/** Source: ITU-T E.164, "List of ITU-T Recommendation E.164 assigned country codes". */
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

/** By libphonenumber's number types. */
const TYPES: Readonly<Record<string, Risk>> = { PREMIUM_RATE: 'premium rate', SHARED_COST: 'shared cost' };

export type FindDestination = (address: string) => Destination;

let pendingFinder: Promise<FindDestination> | undefined;

/** Loads about 150 kB of numbering plans on first use. */
export function loadDestinationFinder(): Promise<FindDestination> {
  pendingFinder ??= import('libphonenumber-js/max').then(({ parsePhoneNumberFromString }) => (address) => {
    if (address[2] === '.') return { country: address.slice(0, 2), risk: null };
    const code = findCallingCode(address) ?? '';
    const network = NETWORKS.get(code);
    if (network) return { country: null, risk: network };
    const number = parsePhoneNumberFromString(`+${address}`);
    // A number that is in no numbering plan is assigned to the main country of its calling code.
    const country = number?.country ?? findMainRegion(code)?.region ?? null;
    return { country, risk: TYPES[number?.getType() ?? ''] ?? null };
  });
  return pendingFinder;
}
