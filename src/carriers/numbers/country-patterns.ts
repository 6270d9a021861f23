import { findMainRegion } from './phone-numbers.js';

/** Describes the numbers of a country, so that a store can find them without parsing every number. */
export interface CountryNumbers {
  /** The numbers begin with this calling code. */
  callingCode: string;
  /** Set if several countries share the calling code. */
  shared: {
    /** Regular expression of the country's own numbers, from the beginning and with the calling code. */
    own: string;
    /** Countries whose numbers are theirs even if they match `own`, or for the main country, unless they match `own`. */
    others: readonly string[];
    /** The main country also has all numbers of the calling code that are in no numbering plan. */
    isMain: boolean;
  } | null;
}

export type CountryDirectory = ReadonlyMap<string, CountryNumbers>;

let pendingDirectory: Promise<CountryDirectory> | undefined;

/**
 * Loads the numbers of all countries, by ISO 3166 code. The result agrees with `loadDestinationFinder`. Regular expressions
 * use only syntax that JavaScript and PostgreSQL share.
 */
export function loadCountryDirectory(): Promise<CountryDirectory> {
  pendingDirectory ??= Promise.all([import('libphonenumber-js/core'), import('libphonenumber-js/metadata.max')]).then(
    ([{ Metadata }, { default: plans }]) => {
      const readPattern = (callingCode: string, country: string) =>
        buildPattern(new Metadata(plans), callingCode, country);
      const entries = Object.entries(plans.country_calling_codes).flatMap(([code, regions]) =>
        describeRegions(code, regions, readPattern),
      );
      return new Map(entries);
    },
  );
  return pendingDirectory;
}

function describeRegions(
  callingCode: string,
  regions: readonly string[],
  readPattern: (callingCode: string, country: string) => string,
): [string, CountryNumbers][] {
  if (regions.length === 1) return regions.map((country) => [country, { callingCode, shared: null }]);
  const main = findMainRegion(callingCode)?.region;
  const patterns = regions.map((country) => readPattern(callingCode, country));
  return regions.map((country, index) => {
    const isMain = country === main;
    // libphonenumber assigns a number to the first country whose plan has it.
    const otherPatterns = isMain ? patterns.slice(1) : patterns.slice(0, index);
    return [country, { callingCode, shared: { own: patterns[index] as string, others: otherPatterns, isMain } }];
  });
}

interface NumberingPlans {
  selectNumberingPlan(country: never): unknown;
  numberingPlan?: {
    leadingDigits(): string | undefined;
    types(): readonly unknown[] | undefined;
    type(name: string): { pattern(): string } | undefined;
  };
}

const TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
];

function buildPattern(metadata: unknown, callingCode: string, country: string): string {
  const plans = metadata as NumberingPlans;
  plans.selectNumberingPlan(country as never);
  const leadingDigits = plans.numberingPlan?.leadingDigits();
  if (leadingDigits) return `^${callingCode}(?:${leadingDigits})`;
  const patterns = TYPES.map((type) => plans.numberingPlan?.type(type)?.pattern()).filter(Boolean);
  return `^${callingCode}(?:${[...new Set(patterns)].map((pattern) => `(?:${pattern})`).join('|')})$`;
}
