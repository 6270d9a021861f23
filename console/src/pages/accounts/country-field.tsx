import { Select } from '@mantine/core';
import { getCountryName, REGIONS } from '../../../../src/carriers/numbers/written-numbers.js';
import { guessRegion } from '../../browser/region.js';
import { text } from '../../text/en.js';

const words = text.accounts;

const ANY = 'any';
const INSTALLATION_DEFAULT = 'setting';

const COUNTRIES = REGIONS.map((value) => ({ value, label: getCountryName(value) })).sort((a, b) =>
  a.label.localeCompare(b.label, 'en'),
);

/** Preselects the installation's default countries or, if there are none, the country of the browser's language. */
export function findDefaultCountry(defaultCountries: readonly string[]): string | null {
  if (defaultCountries.length > 0) return INSTALLATION_DEFAULT;
  const region = guessRegion(navigator.languages);
  return region !== null && REGIONS.includes(region) ? region : null;
}

export function toCountries(choice: string): string[] | undefined {
  if (choice === INSTALLATION_DEFAULT) return undefined;
  return choice === ANY ? [] : [choice];
}

interface CountryFieldProps {
  defaultCountries: readonly string[];
  value: string | null;
  error: string | undefined;
  onChange(choice: string | null): void;
}

export function CountryField({ defaultCountries, ...props }: CountryFieldProps) {
  const firstOption =
    defaultCountries.length > 0
      ? [{ value: INSTALLATION_DEFAULT, label: words.defaultCountries(defaultCountries) }]
      : [];
  return (
    <Select
      label={words.country}
      description={words.countryHint}
      placeholder={words.chooseCountry}
      data={[...firstOption, { value: ANY, label: words.anyCountry }, ...COUNTRIES]}
      nothingFoundMessage={words.noSuchCountry}
      searchable
      required
      {...props}
    />
  );
}
