import { TextInput, type TextInputProps } from '@mantine/core';

export interface TextFieldProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  onChange(value: string): void;
}

/** Without autofill: the browser's stored data is about the user, not about the console's contents. */
export function TextField({ onChange, ...props }: TextFieldProps) {
  return <TextInput autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} {...props} />;
}
