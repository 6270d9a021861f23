import { Select, SimpleGrid, Stack, Text } from '@mantine/core';
import {
  getCountryName,
  getRegionCallingCode,
  INTERNATIONAL,
  type NumbersWithoutPlus,
  REGIONS,
} from '../../../../src/carriers/numbers/written-numbers.js';
import { DELIMITERS, ENCODINGS, type Encoding } from '../../../../src/platform/text/csv-text.js';
import { text } from '../../text/en.js';
import { formatNumber } from '../../ui/values/numbers.js';
import type { CsvFile } from './mapping.js';
import type { ReadOptions } from './read-csv.js';
import type { NumberCheck } from './use-number-check.js';

const words = text.imports;

export function FileReading({ file, onRead }: { file: CsvFile; onRead(options: ReadOptions): void }) {
  const { encoding, delimiter } = file;
  const delimiters = DELIMITERS.some((known) => known === delimiter) ? [...DELIMITERS] : [...DELIMITERS, delimiter];
  return (
    <Stack gap={4}>
      <Text fw={500}>{words.fileFormat}</Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label={words.encoding}
          allowDeselect={false}
          searchable
          data={ENCODINGS.map((value) => ({ value, label: words.encodings[value] }))}
          value={encoding}
          onChange={(value) => value && onRead({ encoding: value as Encoding, delimiter })}
        />
        <Select
          label={words.delimiter}
          allowDeselect={false}
          data={delimiters.map((value) => ({ value, label: words.delimiters[value] ?? value }))}
          value={delimiter}
          onChange={(value) => value && onRead({ encoding, delimiter: value })}
        />
      </SimpleGrid>
    </Stack>
  );
}

const COUNTRIES = [
  { value: INTERNATIONAL, label: words.international },
  ...REGIONS.map((value) => ({ value, label: `${getCountryName(value)} (+${getRegionCallingCode(value)})` })).sort(
    (a, b) => a.label.localeCompare(b.label, 'en'),
  ),
];

interface CountryFieldProps {
  numbers: NumberCheck;
  value: NumbersWithoutPlus;
  onChange(country: NumbersWithoutPlus): void;
}

/** The field is hidden if all numbers have a plus sign, because such numbers contain their country code. */
export function CountryField({ numbers: { withoutPlus, example }, value, onChange }: CountryFieldProps) {
  if (withoutPlus === 0) return null;
  return (
    <Select
      label={words.country}
      description={words.countryHint(formatNumber(withoutPlus), example)}
      placeholder={words.chooseCountry}
      data={COUNTRIES}
      value={value}
      onChange={onChange}
      nothingFoundMessage={words.noSuchCountry}
      searchable
      required
      maw={520}
    />
  );
}
