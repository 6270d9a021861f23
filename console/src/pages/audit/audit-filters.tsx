import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.audit;

/** Filters from the URL. Times are in ISO 8601 in UTC, so that a shared link means the same in every time zone. */
export interface AuditFilter {
  actor: string | undefined;
  action: string | undefined;
  subject: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** The caller must set a `key` derived from the filter, so that the fields reset when the URL changes. */
export function AuditFilters({ filter }: { filter: AuditFilter }) {
  const [, setParams] = useSearchParams();
  const [actor, setActor] = useState(filter.actor ?? '');
  const [action, setAction] = useState(filter.action ?? '');
  const [subject, setSubject] = useState(filter.subject ?? '');
  const [from, setFrom] = useState(toLocalTime(filter.from));
  const [to, setTo] = useState(toLocalTime(filter.to));
  const search = (event: FormEvent) => {
    event.preventDefault();
    setParams({
      actor: actor.trim(),
      action: action.trim(),
      subject: subject.trim(),
      from: toIsoTime(from),
      to: toIsoTime(to),
    });
  };
  const clear = () =>
    setParams({ actor: undefined, action: undefined, subject: undefined, from: undefined, to: undefined });
  return (
    <form onSubmit={search}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 5 }} spacing="sm">
          <Field label={words.findActor} hint={words.findActorHint} value={actor} onChange={setActor} />
          <Field label={words.findAction} hint={words.findActionHint} value={action} onChange={setAction} />
          <Field label={words.findSubject} hint={words.findSubjectHint} value={subject} onChange={setSubject} />
          <Field label={words.from} hint={words.timeHint} value={from} onChange={setFrom} isTime />
          <Field label={words.to} hint={words.timeHint} value={to} onChange={setTo} isTime />
        </SimpleGrid>
        <Group gap="xs">
          <Button type="submit">{text.common.search}</Button>
          {Object.values(filter).some(Boolean) && (
            <Button variant="default" onClick={clear}>
              {words.clear}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

interface FieldProps {
  label: string;
  hint: string;
  value: string;
  onChange(value: string): void;
  isTime?: boolean;
}

function Field({ label, hint, value, onChange, isTime = false }: FieldProps) {
  return (
    <TextField
      type={isTime ? 'datetime-local' : 'text'}
      label={label}
      description={hint}
      {...(!isTime && { maxLength: 100 })}
      value={value}
      onChange={(value) => onChange(value)}
    />
  );
}

/** Formats a time for an input of type `datetime-local`: local time without a zone. */
function toLocalTime(iso: string | undefined): string {
  const time = iso ? new Date(iso).getTime() : Number.NaN;
  if (Number.isNaN(time)) return '';
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 16);
}

function toIsoTime(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}
