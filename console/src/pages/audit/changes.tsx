import { Stack, Text } from '@mantine/core';
import type { AuditLine } from '../../api/audit.js';
import { text } from '../../text/en.js';
import classes from './changes.module.css';

const words = text.audit;

/** The subject of a line, and what it says of its fields: how each was, and how it is since. */
export function Changes({ subject, before, after }: Pick<AuditLine, 'subject' | 'before' | 'after'>) {
  const was = (before ?? {}) as Readonly<Record<string, unknown>>;
  const is = (after ?? {}) as Readonly<Record<string, unknown>>;
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return (
    <Stack gap={2} className={classes.changes}>
      <Text span inherit c="dimmed">
        {subject}
      </Text>
      {fields.map((field) => (
        <div key={field}>
          <Text span inherit c="dimmed">
            {field}
          </Text>{' '}
          {field in was && <span>{shown(was[field])}</span>}
          {field in was && field in is && <Arrow />}
          {field in is && <span>{shown(is[field])}</span>}
        </div>
      ))}
    </Stack>
  );
}

function Arrow() {
  return (
    <>
      <span aria-hidden> → </span>
      <span className="visually-hidden"> {words.arrow} </span>
    </>
  );
}

/** Texts as they are; lists and the like in words and commas. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return words.nothing;
  if (Array.isArray(value)) return value.length === 0 ? words.nothing : value.map(shown).join('; ');
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).map(([name, part]) => `${name}: ${shown(part)}`);
  return parts.length === 0 ? words.nothing : parts.join(', ');
}
