import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { text } from '../../text/en.js';

/** No asterisk: there is no other field beside it that may stay empty. */
const REQUIRED = { required: true, withAsterisk: false } as const;

interface PasswordFieldProps extends PasswordInputProps {
  /** Whether whoever keeps passwords fills it in, or offers a new one. */
  autoComplete: 'current-password' | 'new-password';
}

/** A password that must be given. */
export function PasswordField(props: PasswordFieldProps) {
  return <PasswordInput {...REQUIRED} {...props} />;
}

/** A code of the second factor, or a recovery code. */
export function CodeField(props: TextInputProps) {
  return (
    <TextInput
      label={text.signIn.code}
      description={text.signIn.codeHint}
      autoComplete="one-time-code"
      {...REQUIRED}
      {...props}
    />
  );
}
