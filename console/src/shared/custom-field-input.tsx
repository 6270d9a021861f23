import { NativeSelect, TextInput } from '@mantine/core';
import type { ContactField } from '../api/account/contact-fields.js';
import { text } from '../text/en.js';

const words = text.contactFields;

interface CustomFieldInputProps {
  field: ContactField;
  /** As in `formatValue`; empty if not set. */
  value: string;
  error?: string | undefined;
  readOnly?: boolean;
  onChange(value: string): void;
}

/** The server accepts every value as a text, and clears a field with an empty text. */
export function CustomFieldInput({ field, value, error, readOnly = false, onChange }: CustomFieldInputProps) {
  const { label, type } = field;
  const options = listOptions(field, value);
  if (options) {
    return (
      <NativeSelect
        label={label}
        data={[{ value: '', label: words.notSet }, ...options]}
        value={value}
        error={error}
        disabled={readOnly}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      label={label}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={value}
      error={error}
      readOnly={readOnly}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Returns null for fields without choices. Includes the current value even if it was removed from the choices. */
export function listOptions({ type, choices }: ContactField, value: string): { value: string; label: string }[] | null {
  if (type === 'boolean') {
    return [
      { value: 'yes', label: words.yes },
      { value: 'no', label: words.no },
    ];
  }
  if (type !== 'choice') return null;
  const values = value === '' || choices.includes(value) ? choices : [...choices, value];
  return values.map((choice) => ({ value: choice, label: choice }));
}
