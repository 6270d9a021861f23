import { Button, Checkbox, Group as Row, Select, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ImportRow } from '../../api/imports.js';
import { groupsQuery, type Place } from '../../api/people.js';
import { text } from '../../text/en.js';
import { formatNumber } from '../../ui/numbers.js';
import { type CsvFile, guessMapping, type Mapping, mapRows } from './mapping.js';

const words = text.imports;
/** Rows of the preview. */
const SHOWN = 5;

/** What is to be sent. */
export interface Prepared {
  rows: ImportRow[];
  options: { fileName: string; groupId?: string; update: boolean };
}

interface MapColumnsProps {
  place: Place;
  file: CsvFile;
  onStart(prepared: Prepared): void;
  onCancel(): void;
}

/** Which column of a file holds what, and how its first rows look then. */
export function MapColumns({ place, file, onStart, onCancel }: MapColumnsProps) {
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(file.header));
  const [groupId, setGroupId] = useState<string | null>(null);
  const [update, setUpdate] = useState(false);
  const { data: groups = [] } = useQuery(groupsQuery(place));
  const shown = mapRows({ ...file, rows: file.rows.slice(0, SHOWN) }, mapping);
  const count = formatNumber(file.rows.length);
  const columns = file.header.map((name, index) => ({ value: String(index), label: name.trim() || `#${index + 1}` }));
  const column = (field: keyof Mapping, label: string) => (
    <Select
      label={label}
      placeholder={words.none}
      data={columns}
      value={mapping[field] === null ? null : String(mapping[field])}
      onChange={(value) => setMapping({ ...mapping, [field]: value === null ? null : Number(value) })}
      error={field === 'phone' && mapping.phone === null ? words.mapPhone : undefined}
      required={field === 'phone'}
      clearable={field !== 'phone'}
      clearButtonProps={{ 'aria-label': text.common.clear }}
    />
  );
  const start = () =>
    onStart({
      rows: mapRows(file, mapping),
      options: { fileName: file.name.slice(-255), update, ...(groupId && { groupId }) },
    });
  return (
    <Stack>
      <Stack gap={4}>
        <Text fw={500}>{words.columns}</Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {column('phone', text.contacts.phone)}
          {column('name', text.contacts.name)}
          {column('email', text.contacts.email)}
        </SimpleGrid>
      </Stack>
      <Stack gap={4}>
        <Text fw={500}>{words.preview(formatNumber(shown.length), count)}</Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
        <section style={{ overflowX: 'auto' }} aria-label={words.previewTitle} tabIndex={0}>
          <Table withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.contacts.phone}</Table.Th>
                <Table.Th>{text.contacts.name}</Table.Th>
                <Table.Th>{text.contacts.email}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((row) => (
                <Table.Tr key={row.row}>
                  <Table.Td>{row.phone || '–'}</Table.Td>
                  <Table.Td>{row.name || '–'}</Table.Td>
                  <Table.Td>{row.email || '–'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      </Stack>
      <Select
        label={words.group}
        description={words.groupHint}
        placeholder={words.noGroup}
        data={groups.map(({ id, name }) => ({ value: id, label: name }))}
        value={groupId}
        onChange={setGroupId}
        nothingFoundMessage={text.contacts.noGroups}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': text.common.clear }}
        maw={520}
      />
      <Checkbox
        label={words.update}
        description={words.updateHint}
        checked={update}
        onChange={(event) => setUpdate(event.currentTarget.checked)}
      />
      <Row>
        <Button onClick={start} disabled={mapping.phone === null}>
          {words.start(count)}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {text.common.cancel}
        </Button>
      </Row>
    </Stack>
  );
}
