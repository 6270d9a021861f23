import { text } from '../../text/en.js';
import { TextField } from '../../ui/forms/text-field.js';

interface NameFieldProps {
  hint: string;
  value: string;
  error: string | undefined;
  onChange(name: string): void;
}

export function NameField({ hint, value, error, onChange }: NameFieldProps) {
  return (
    <TextField
      label={text.operators.name}
      description={hint}
      required
      maxLength={100}
      data-autofocus
      value={value}
      error={error}
      onChange={(value) => onChange(value)}
    />
  );
}
