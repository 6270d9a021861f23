import { Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { findFieldProblem, onConfirmationNeeded } from '../api/client/request.js';
import { confirmIdentity } from '../api/operators/me.js';
import { text } from '../text/en.js';
import { TextLink } from '../ui/basics/links.js';
import { DialogButtons } from '../ui/dialogs/dialog-buttons.js';
import { ErrorState } from '../ui/feedback/error-state.js';
import { CodeField, PasswordField } from '../ui/forms/proof-fields.js';
import { useSession } from './session.js';

const words = text.confirmation;
/** The confirmation dialog must appear above the dialog whose request needs the confirmation. */
const Z_INDEX = 400;

/** Asks for the password or code when the server requires a confirmation, and then repeats the refused request. */
export function ConfirmIdentity() {
  const [settle, setSettle] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => onConfirmationNeeded(() => new Promise((resolve) => setSettle(() => resolve))), []);
  const end = (isConfirmed: boolean) => {
    settle?.(isConfirmed);
    setSettle(null);
  };
  return (
    <Modal opened={settle !== null} onClose={() => end(false)} title={words.title} zIndex={Z_INDEX}>
      {settle && <Proof onEnd={end} />}
    </Modal>
  );
}

function Proof({ onEnd }: { onEnd(isConfirmed: boolean): void }) {
  const confirmBy = useSession()?.operator.confirmBy ?? null;
  const [value, setValue] = useState('');
  const confirm = useMutation({
    mutationFn: () => confirmIdentity(confirmBy === 'code' ? { code: value.trim() } : { password: value }),
    onSuccess: () => onEnd(true),
  });
  if (confirmBy === null) {
    return (
      <Stack>
        <Text size="sm">{words.signInAgain}</Text>
        <TextLink to="/sign-in" search={{ to: window.location.pathname + window.location.search }} size="sm">
          {words.toSignIn}
        </TextLink>
      </Stack>
    );
  }
  const input = {
    value,
    error: findFieldProblem(confirm.error, confirmBy),
    'data-autofocus': true,
    onChange: (event: { currentTarget: { value: string } }) => setValue(event.currentTarget.value),
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // React events bubble from this dialog to the form that opened it, and that form must not be submitted yet.
        event.stopPropagation();
        confirm.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{words.why}</Text>
        {confirm.error && input.error === undefined && <ErrorState error={confirm.error} />}
        {confirmBy === 'password' ? (
          <PasswordField label={text.signIn.password} autoComplete="current-password" {...input} />
        ) : (
          <CodeField {...input} />
        )}
        <DialogButtons onCancel={() => onEnd(false)} loading={confirm.isPending}>
          {words.confirm}
        </DialogButtons>
      </Stack>
    </form>
  );
}
