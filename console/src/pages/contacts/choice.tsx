import { Select } from '@mantine/core';
import { text } from '../../text/en.js';

interface ChoiceProps {
  label: string;
  placeholder: string;
  data: readonly (string | { value: string; label: string })[];
  /** Undefined if nothing is chosen. */
  value: string | undefined;
  nothingFoundMessage?: string;
  onChange(value: string | undefined): void;
}

/** A filter of a list. */
export function Choice({ label, value, onChange, ...props }: ChoiceProps) {
  return (
    <Select
      {...props}
      aria-label={label}
      w={{ base: '100%', xs: 200 }}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': text.common.clear }}
    />
  );
}
