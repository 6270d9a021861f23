import { Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogButtons } from '../../ui/dialogs/dialog-buttons.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { CodeField } from '../../ui/forms/proof-fields.js';
import { RecoveryCodeList } from './recovery-code-list.js';

interface CodeDialogProps {
  opened: boolean;
  onClose(): void;
  title: string;
  consequence: string;
  isDestructive?: boolean;
  /** Submits the code, and returns new recovery codes to show, or null. */
  onCode(code: string): Promise<string[] | null>;
}

export function CodeDialog({ opened, onClose, title, consequence, isDestructive = false, onCode }: CodeDialogProps) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const submission = useMutation({ mutationFn: onCode });
  const close = () => {
    onClose();
    setCode('');
    submission.reset();
  };
  const send = async () => {
    const codes = await submission.mutateAsync(code.trim());
    void client.invalidateQueries({ queryKey: ['session'] });
    if (!codes) close();
  };
  return (
    <SecretModal holdsSecret={Boolean(submission.data)} opened={opened} onClose={close} title={title}>
      {submission.data ? (
        <RecoveryCodeList codes={submission.data} onDone={close} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send().catch(() => undefined);
          }}
        >
          <Stack>
            <Text size="sm">{consequence}</Text>
            {submission.error && <ErrorState error={submission.error} />}
            <CodeField data-autofocus value={code} onChange={(event) => setCode(event.currentTarget.value)} />
            <DialogButtons onCancel={close} loading={submission.isPending} {...(isDestructive && { color: 'red' })}>
              {title}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </SecretModal>
  );
}
