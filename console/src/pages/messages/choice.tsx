import { Alert, Button, Group, Select } from '@mantine/core';
import type { KeyPages } from '../../api/client/key-pages.js';
import { text } from '../../text/en.js';

/** Options of the time filter, in days. */
export const DAYS = ['1', '7', '30'] as const;
const HOUR_MS = 60 * 60 * 1000;

/** Rounds the time to the hour, so that the query key stays the same and cached data is reused. */
export function findStartTime(days: string | undefined): string | undefined {
  if (!days || !(DAYS as readonly string[]).includes(days)) return undefined;
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  return new Date(hour - Number(days) * 24 * HOUR_MS).toISOString();
}

/** Shown if the server stopped searching before the page was full, because older messages may match. */
export function MoreToSearch({ pages: { rows, next } }: { pages: Pick<KeyPages<unknown>, 'rows' | 'next'> }) {
  if (!rows || rows.length >= 50 || !next) return null;
  return (
    <Alert variant="light" role="status" title={text.messages.moreToSearch}>
      <Group justify="space-between" gap="sm">
        <span>{text.messages.moreToSearchHint}</span>
        <Button size="xs" variant="default" onClick={next}>
          {text.messages.searchOn}
        </Button>
      </Group>
    </Alert>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  data: string[] | { value: string; label: string }[];
  onChange(value: string | null): void;
}

export function Choice({ label, value, data, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      placeholder={text.messages.any}
      data={data}
      value={value ?? null}
      onChange={onChange}
      clearable
      clearButtonProps={{ 'aria-label': text.messages.clear(label) }}
      w={{ base: 'calc(50% - 6px)', xs: 170 }}
    />
  );
}
