import { Stack, Table, Text } from '@mantine/core';
import { isOwnUserId, OWN_USER_ID_RULE } from '../../../../src/carriers/numbers/user-ids.js';
import {
  findRegion,
  getCountryName,
  lacksPlus,
  type NumberKind,
  type NumbersWithoutPlus,
  readWrittenNumber,
} from '../../../../src/carriers/numbers/written-numbers.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS } from '../../../../src/features/contacts/contact-fields.js';
import { formatValue } from '../../../../src/features/contacts/custom/field-values.js';
import type { ImportRow } from '../../api/imports.js';
import { text } from '../../text/en.js';
import { phoneText } from '../../ui/values/phone.js';

const words = text.imports;

interface PreviewProps {
  rows: readonly ImportRow[];
  country: NumbersWithoutPlus;
  kind: NumberKind;
  hasUserIds: boolean;
}

export function Preview({ rows, country, kind, hasUserIds }: PreviewProps) {
  const shownFields = CONTACT_FIELD_NAMES.filter(
    (field) => CONTACT_FIELDS[field].isListed || rows.some((row) => row[field]),
  );
  const customKeys = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields ?? {})))];
  const hasTags = rows.some(({ tags }) => tags);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    <section style={{ overflowX: 'auto' }} aria-label={words.previewTitle} tabIndex={0}>
      <Table withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.written}</Table.Th>
            <Table.Th>{words.readAs}</Table.Th>
            {hasUserIds && <Table.Th>{text.contacts.userId}</Table.Th>}
            {shownFields.map((field) => (
              <Table.Th key={field}>{text.contacts.fields[field]}</Table.Th>
            ))}
            {customKeys.map((key) => (
              <Table.Th key={`fields.${key}`}>{key}</Table.Th>
            ))}
            {hasTags && <Table.Th>{text.contacts.tags}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.row}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{row.phone || '–'}</Table.Td>
              <Table.Td>
                <ReadNumber written={row.phone ?? ''} country={country} kind={kind} isOptional={Boolean(row.userId)} />
              </Table.Td>
              {hasUserIds && <Table.Td>{row.userId ? <UserId value={row.userId} /> : '–'}</Table.Td>}
              {shownFields.map((field) => (
                <Table.Td key={field}>{row[field] || '–'}</Table.Td>
              ))}
              {customKeys.map((key) => (
                <Table.Td key={`fields.${key}`}>{formatValue(row.fields?.[key]) || '–'}</Table.Td>
              ))}
              {hasTags && <Table.Td>{row.tags?.join(', ') || '–'}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function UserId({ value }: { value: string }) {
  if (isOwnUserId(value)) return <span style={{ whiteSpace: 'nowrap' }}>{value}</span>;
  return (
    <Text size="sm" c="red" miw={180}>
      {words.refusedBecause(OWN_USER_ID_RULE)}
    </Text>
  );
}

interface ReadNumberProps {
  written: string;
  country: NumbersWithoutPlus;
  kind: NumberKind;
  /** Whether the row needs no number, because it has a user ID. */
  isOptional: boolean;
}

function ReadNumber({ written, country, kind, isOptional }: ReadNumberProps) {
  if (written === '' && isOptional) {
    return (
      <Text size="sm" c="dimmed">
        {words.noNumber}
      </Text>
    );
  }
  if (country === null && lacksPlus(written)) {
    return (
      <Text size="sm" c="dimmed">
        {words.chooseCountry}
      </Text>
    );
  }
  const result = readWrittenNumber(written, country, kind);
  if ('reason' in result) {
    return (
      <Text size="sm" c="red" miw={180}>
        {words.refusedBecause(result.reason)}
      </Text>
    );
  }
  const region = findRegion(result.digits);
  return (
    <Stack gap={0}>
      <span style={{ whiteSpace: 'nowrap' }}>{phoneText(result.digits)}</span>
      <Text size="xs" c="dimmed">
        {region ? getCountryName(region) : words.noCountry}
      </Text>
    </Stack>
  );
}
