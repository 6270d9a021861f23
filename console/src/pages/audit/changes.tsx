import { Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { AuditLine } from '../../api/operators/audit.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { senderText } from '../../ui/values/phone.js';
import classes from './changes.module.css';

const words = text.audit;

type Names = AuditLine['names'];

/** The subject of a line, and what it says of its fields: how each was, and how it is since. */
export function Changes({ action, subject, before, after, names }: AuditLine) {
  const was = (before ?? {}) as Readonly<Record<string, unknown>>;
  const is = (after ?? {}) as Readonly<Record<string, unknown>>;
  // What was there before and stayed as it was is no change, though older lines hold it.
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => !(field in was && field in is && isSame(was[field], is[field])),
  );
  // What is gone was called what its line says.
  const name = names[subject] ?? [is.name, was.name].find((each) => typeof each === 'string' && each !== '');
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
          {field in was && <span>{shown(was[field], names, field)}</span>}
          {field in was && field in is && <Arrow />}
          {field in is && <span>{shown(is[field], names, field)}</span>}
        </div>
      ))}
    </Stack>
  );
}

/** Whether two values of the log, which are JSON, say the same. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What an id belongs to, with the id on hover; whatever else as it is. */
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

/** What fields are called that hold phone numbers. */
const PHONES: readonly string[] = ['phone', 'phoneNumber', 'sender', 'from'];

/** Texts as they are, ids by their names, numbers with their plus sign; lists and the like in words and commas. */
function shown(value: unknown, names: Names, field: string): ReactNode {
  if (value === null || value === undefined || value === '') return words.nothing;
  if (Array.isArray(value)) {
    return joined(
      value.map((each) => shown(each, names, field)),
      '; ',
    );
  }
  if (typeof value === 'string') {
    return PHONES.includes(field) ? senderText(value) : <Named id={value} names={names} />;
  }
  if (typeof value !== 'object') return String(value);
  return joined(
    Object.entries(value).map(([name, part]) => [`${name}: `, shown(part, names, name)]),
    ', ',
  );
}

function joined(parts: readonly ReactNode[], separator: string): ReactNode {
  if (parts.length === 0) return words.nothing;
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of the log never changes.
    <Fragment key={index}>
      {index > 0 && separator}
      {part}
    </Fragment>
  ));
}
