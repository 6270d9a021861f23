import { TextInput, type TextInputProps } from '@mantine/core';

interface KeyNameFieldProps extends TextInputProps {
  words: { name: string; nameHint: string };
}

export function KeyNameField({ words, ...input }: KeyNameFieldProps) {
  return (
    <TextInput
      label={words.name}
      description={words.nameHint}
      required
      maxLength={100}
      data-autofocus
      autoComplete="off"
      {...input}
    />
  );
}
