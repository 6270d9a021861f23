import { TextInput, type TextInputProps } from '@mantine/core';

export interface TextFieldProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  onChange(value: string): void;
}

/** Fields have no autofill, because browsers would offer the user's own data, which these fields are not about. */
export function TextField({ onChange, ...props }: TextFieldProps) {
  return <TextInput autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} {...props} />;
}
