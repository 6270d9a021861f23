import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { text } from '../../text/en.js';

/** Required fields have no asterisk, because the form has no optional field. */
const REQUIRED = { required: true, withAsterisk: false } as const;

interface PasswordFieldProps extends PasswordInputProps {
  /** Whether a password manager fills in the current password or suggests a new one. */
  autoComplete: 'current-password' | 'new-password';
}

export function PasswordField(props: PasswordFieldProps) {
  return <PasswordInput {...REQUIRED} {...props} />;
}

/** Field for a second-factor code or a recovery code. */
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
