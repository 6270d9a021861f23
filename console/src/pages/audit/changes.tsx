import { Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { AuditLine } from '../../api/operators/audit.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { senderText } from '../../ui/values/phone.js';
import classes from './changes.module.css';

const words = text.audit;

type Names = AuditLine['names'];

export function Changes({ action, subject, before, after, names }: AuditLine) {
  const oldValues = (before ?? {}) as Readonly<Record<string, unknown>>;
  const newValues = (after ?? {}) as Readonly<Record<string, unknown>>;
  // Older audit entries also contain unchanged fields.
  const fields = [...new Set([...Object.keys(oldValues), ...Object.keys(newValues)])].filter(
    (field) => !(field in oldValues && field in newValues && isSame(oldValues[field], newValues[field])),
  );
  // A deleted item has no current name, so the name in the audit log entry is used.
  const name =
    names[subject] ??
    [newValues.name, oldValues.name].find((candidate) => typeof candidate === 'string' && candidate !== '');
  return (
    <Stack gap={2} className={classes.changes}>
      <TextLink
        to="."
        search={{ subject }}
        inherit
        title={subject}
        className={classes.subject}
        {...(name === undefined && { c: 'dimmed' })}
      >
        {name === undefined ? (action.startsWith('opt-out.') ? senderText(subject) : subject) : String(name)}
      </TextLink>
      {fields.map((field) => (
        <div key={field}>
          <Text span inherit c="dimmed">
            {field}
          </Text>{' '}
          {field in oldValues && <span>{formatValue(oldValues[field], names, field)}</span>}
          {field in oldValues && field in newValues && <Arrow />}
          {field in newValues && <span>{formatValue(newValues[field], names, field)}</span>}
        </div>
      ))}
    </Stack>
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function Named({ id, names }: { id: string; names: Names }) {
  const name = names[id];
  return name === undefined ? id : <span title={id}>{name}</span>;
}

function Arrow() {
  return (
    <>
      <span aria-hidden> → </span>
      <span className="visually-hidden"> {words.arrow} </span>
    </>
  );
}

const PHONES: readonly string[] = ['phone', 'phoneNumber', 'sender', 'from'];

function formatValue(value: unknown, names: Names, field: string): ReactNode {
  if (value === null || value === undefined || value === '') return words.nothing;
  if (Array.isArray(value)) {
    return joinNodes(
      value.map((item) => formatValue(item, names, field)),
      '; ',
    );
  }
  if (typeof value === 'string') {
    return PHONES.includes(field) ? senderText(value) : <Named id={value} names={names} />;
  }
  if (typeof value !== 'object') return String(value);
  return joinNodes(
    Object.entries(value).map(([name, part]) => [`${name}: `, formatValue(part, names, name)]),
    ', ',
  );
}

function joinNodes(parts: readonly ReactNode[], separator: string): ReactNode {
  if (parts.length === 0) return words.nothing;
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an audit entry never changes.
    <Fragment key={index}>
      {index > 0 && separator}
      {part}
    </Fragment>
  ));
}
