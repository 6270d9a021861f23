import { TextInput } from '@mantine/core';
import { text } from '../../text/en.js';

interface NameFieldProps {
  hint: string;
  value: string;
  error: string | undefined;
  onChange(name: string): void;
}

/** The name of an operator who is made or given a role. */
export function NameField({ hint, value, error, onChange }: NameFieldProps) {
  return (
    <TextInput
      label={text.operators.name}
      description={hint}
      required
      maxLength={100}
      autoComplete="off"
      data-autofocus
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
