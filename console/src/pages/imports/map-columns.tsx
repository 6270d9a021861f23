import { Alert, Button, Checkbox, List, Group as Row, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import type { NumbersWithoutPlus } from '../../../../src/carriers/numbers/written-numbers.js';
import { CONTACT_FIELD_NAMES } from '../../../../src/features/contacts/contact-fields.js';
import { contactFieldsQuery, contactTagsQuery } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import type { ImportRow, ImportStart } from '../../api/imports.js';
import { groupsQuery } from '../../api/people.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { type CustomMapping, guessCustomMapping, listCustomColumns, toFieldColumns } from './custom-columns.js';
import { CustomMappingFields } from './custom-mapping-fields.js';
import { type CsvFile, guessMapping, type Mapping, mapRows, toFileColumns } from './mapping.js';
import { Preview } from './preview.js';
import type { ReadOptions } from './read-csv.js';
import { CountryField, FileReading } from './reading-fields.js';
import { type NumberCheck, useNumbers } from './use-number-check.js';

const words = text.imports;
const PREVIEW_ROWS = 5;

export interface PreparedImport {
  rows: ImportRow[];
  country?: string;
  options: Omit<ImportStart, 'slices' | 'totalRows'> & { fileName: string };
}

interface MapColumnsProps {
  channelRef: ChannelRef;
  file: CsvFile;
  onRead(options: ReadOptions): void;
  onStart(prepared: PreparedImport): void;
  onCancel(): void;
}

export function MapColumns({ channelRef, file, onRead, onStart, onCancel }: MapColumnsProps) {
  const isWhatsapp = useAccount()?.channels.find(({ id }) => id === channelRef.channelId)?.kind === 'whatsapp';
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(file.header, { isWhatsapp }));
  const [groupId, setGroupId] = useState<string | null>(null);
  const [update, setUpdate] = useState(false);
  const { data: groups = [] } = useQuery(groupsQuery(channelRef));
  const { data: customFields = [] } = useQuery(contactFieldsQuery(channelRef.accountId));
  const { data: knownTags = [] } = useQuery(contactTagsQuery(channelRef.accountId));
  const [tags, setTags] = useState<string[]>([]);
  const [chosenCustom, setCustom] = useState<CustomMapping | null>(null);
  const usedColumns = Object.values(mapping).filter((index) => index !== null);
  // Columns are guessed until somebody changes them, because the fields arrive after the first rendering.
  const custom = chosenCustom ?? guessCustomMapping(file.header, customFields, new Set(usedColumns));
  const previewRows = mapRows({ ...file, rows: file.rows.slice(0, PREVIEW_ROWS) }, mapping);
  const [country, setCountry] = useState<NumbersWithoutPlus>(null);
  const kind = isWhatsapp ? 'whatsapp' : 'sms';
  const numbers = useNumbers(file, mapping, { country, kind });
  const isReady = numbers.isDone && (numbers.withoutPlus === 0 || country !== null);
  const count = file.rows.length - numbers.refusedCount;
  const columns = file.header.map((name, index) => ({ value: String(index), label: name.trim() || `#${index + 1}` }));
  const mappedColumns = [...usedColumns, ...listCustomColumns(custom)];
  const ignoredColumns = columns.filter(({ value }) => !mappedColumns.includes(Number(value)));
  const ignoredNames = ignoredColumns.map(({ label }) => label);
  const hasNoIds = mapping.phone === null && mapping.userId === null;
  const missingColumnText = isWhatsapp ? words.mapIds : words.mapPhone;
  const column = (field: keyof Mapping, label: string) => (
    <Select
      label={label}
      placeholder={words.none}
      data={columns}
      value={mapping[field] === null ? null : String(mapping[field])}
      onChange={(value) => setMapping({ ...mapping, [field]: value === null ? null : Number(value) })}
      error={field === 'phone' && hasNoIds ? missingColumnText : undefined}
      required={field === 'phone' && !isWhatsapp}
      clearable={field !== 'phone' || isWhatsapp}
      clearButtonProps={{ 'aria-label': text.common.clear }}
    />
  );
  const start = () =>
    onStart({
      rows: mapRows(file, mapping, custom),
      ...(country !== null && { country }),
      options: {
        fileName: file.name.slice(-255),
        ...toFileColumns(file),
        update,
        ...(groupId && { groupId }),
        ...(tags.length > 0 && { tags }),
        ...(custom.added.length > 0 && { fieldColumns: toFieldColumns(file.header, custom) }),
      },
    });
  return (
    <Stack>
      <FileReading file={file} onRead={onRead} />
      <Stack gap={4}>
        <Text fw={500}>{words.columns}</Text>
        <SimpleGrid cols={{ base: 1, xs: isWhatsapp ? 2 : 3, md: isWhatsapp ? 4 : 3 }}>
          {column('phone', text.contacts.phone)}
          {isWhatsapp && column('userId', text.contacts.userId)}
          {CONTACT_FIELD_NAMES.map((field) => (
            <Fragment key={field}>{column(field, text.contacts.fields[field])}</Fragment>
          ))}
        </SimpleGrid>
        <CustomMappingFields
          fields={customFields}
          columns={columns}
          unusedColumns={ignoredColumns}
          mapping={custom}
          onChange={setCustom}
          tags={tags}
          knownTags={knownTags}
          onTagsChange={setTags}
        />
        {ignoredNames.length > 0 && (
          <Text size="sm" c="dimmed">
            {words.ignored(ignoredNames.join(', '))}
          </Text>
        )}
      </Stack>
      <CountryField numbers={numbers} value={country} onChange={setCountry} />
      <Stack gap={4}>
        <Text fw={500}>{words.preview(formatNumber(previewRows.length), formatNumber(file.rows.length))}</Text>
        <Preview rows={previewRows} country={country} kind={kind} hasUserIds={mapping.userId !== null} />
      </Stack>
      {isReady && numbers.refusedCount > 0 && <RefusedRows numbers={numbers} />}
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
        description={mapping.userId === null ? words.updateHint : words.updateIdsHint}
        checked={update}
        onChange={(event) => setUpdate(event.currentTarget.checked)}
      />
      <Row>
        <Button onClick={start} disabled={!isReady || count === 0}>
          {isReady ? words.start(formatNumber(count)) : words.startNone}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {text.common.cancel}
        </Button>
      </Row>
    </Stack>
  );
}

function RefusedRows({ numbers: { refusedCount, badNumbers } }: { numbers: NumberCheck }) {
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<Icon name="warning" />}
      title={words.refusals(formatNumber(refusedCount))}
    >
      <List size="sm" listStyleType="none">
        {badNumbers.map(({ row, written, reason }) => (
          <List.Item key={row}>{words.refusal(formatNumber(row), written, reason)}</List.Item>
        ))}
      </List>
      {refusedCount > badNumbers.length && (
        <Text size="sm">{words.moreRefusals(formatNumber(refusedCount - badNumbers.length))}</Text>
      )}
      <Text size="sm" mt="xs">
        {words.refusalsHint}
      </Text>
    </Alert>
  );
}
