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
  destroys?: boolean;
  /** Returns new recovery codes to show. */
  onCode(code: string): Promise<string[] | null>;
}

export function CodeDialog({ opened, onClose, title, consequence, destroys = false, onCode }: CodeDialogProps) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const run = useMutation({ mutationFn: onCode });
  const close = () => {
    onClose();
    setCode('');
    run.reset();
  };
  const send = async () => {
    const codes = await run.mutateAsync(code.trim());
    void client.invalidateQueries({ queryKey: ['session'] });
    if (!codes) close();
  };
  return (
    <SecretModal holdsSecret={Boolean(run.data)} opened={opened} onClose={close} title={title}>
      {run.data ? (
        <RecoveryCodeList codes={run.data} onDone={close} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send().catch(() => undefined);
          }}
        >
          <Stack>
            <Text size="sm">{consequence}</Text>
            {run.error && <ErrorState error={run.error} />}
            <CodeField data-autofocus value={code} onChange={(event) => setCode(event.currentTarget.value)} />
            <DialogButtons onCancel={close} loading={run.isPending} {...(destroys && { color: 'red' })}>
              {title}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </SecretModal>
  );
}
