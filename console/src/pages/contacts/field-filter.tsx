import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { contactFieldsQuery } from '../../api/account/contact-fields.js';
import { useSearchParams } from '../../browser/search.js';
import { listOptions } from '../../shared/custom-field-input.js';
import { text } from '../../text/en.js';
import { Choice } from './choice.js';

const words = text.contacts;

const DEBOUNCE_MS = 400;

/** Lists the contacts with a value of one of the account's own fields. */
export function FieldFilter({ accountId }: { accountId: string }) {
  const [params, setParams] = useSearchParams();
  const { data: fields = [] } = useQuery(contactFieldsQuery(accountId));
  const field = fields.find(({ key }) => key === params.field);
  const value = params.value ?? '';
  const options = field && listOptions(field, value);
  const setValue = (changed: string | undefined) => setParams({ value: changed }, { replace: true });
  if (fields.length === 0) return null;
  return (
    <>
      <Choice
        label={words.filterByField}
        placeholder={words.filterByField}
        data={fields.map(({ key, label }) => ({ value: key, label }))}
        value={params.field}
        onChange={(key) => setParams({ field: key, value: undefined })}
      />
      {field && options && (
        <Choice
          label={field.label}
          placeholder={words.anyFieldValue}
          data={options}
          value={params.value}
          onChange={setValue}
        />
      )}
      {field && !options && (
        <ValueInput key={field.key} label={field.label} type={field.type} initial={value} onChange={setValue} />
      )}
    </>
  );
}

interface ValueInputProps {
  label: string;
  type: string;
  initial: string;
  onChange(value: string): void;
}

function ValueInput({ label, type, initial, onChange }: ValueInputProps) {
  const [value, setValue] = useState(initial);
  const change = useDebouncedCallback((entered: string) => onChange(entered.trim()), DEBOUNCE_MS);
  return (
    <TextInput
      aria-label={label}
      placeholder={words.anyFieldValue}
      w={{ base: '100%', xs: 200 }}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={value}
      onChange={(event) => {
        setValue(event.currentTarget.value);
        change(event.currentTarget.value);
      }}
    />
  );
}
