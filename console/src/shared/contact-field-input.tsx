import { Autocomplete, TextInput } from '@mantine/core';
import { CONTACT_FIELDS, type ContactFieldName } from '../../../src/features/contacts/contact-fields.js';
import type { LocaleValue } from '../../../src/features/contacts/locale-value.js';
import { text } from '../text/en.js';

const words = text.contacts;

const TIME_ZONES = Intl.supportedValuesOf('timeZone');
const MAX_SUGGESTIONS = 50;

interface ContactFieldInputProps {
  name: ContactFieldName;
  value: string;
  /** Shown as a hint while the field is empty. */
  computed?: LocaleValue | null;
  error: string | undefined;
  readOnly?: boolean;
  onChange(value: string): void;
}

export function ContactFieldInput({ name, value, computed = null, error, readOnly, onChange }: ContactFieldInputProps) {
  const props = {
    label: words.fields[name],
    description: value === '' && computed?.source === 'number' ? words.fromNumber(describe(name, computed)) : undefined,
    value,
    error,
    readOnly,
  };
  return name === 'timeZone' ? (
    <Autocomplete
      {...props}
      data={readOnly ? [] : TIME_ZONES}
      limit={MAX_SUGGESTIONS}
      comboboxProps={{ withinPortal: false }}
      onChange={onChange}
    />
  ) : (
    <TextInput
      {...props}
      type={CONTACT_FIELDS[name].inputType}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function describe(name: ContactFieldName, { value }: LocaleValue): string {
  if (name !== 'language') return value;
  return `${value} (${new Intl.DisplayNames('en', { type: 'language' }).of(value)})`;
}
