import { TextInput, type TextInputProps } from '@mantine/core';

export interface TextFieldProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  onChange(value: string): void;
}

/** A line of text about what the console shows, which the browser knows nothing of and therefore does not fill in. */
export function TextField({ onChange, ...props }: TextFieldProps) {
  return <TextInput autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} {...props} />;
}
