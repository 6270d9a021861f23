import { Center, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { confirmSecondFactor, startSecondFactor } from '../../api/operators/me.js';
import { text } from '../../text/en.js';
import { DialogButtons } from '../../ui/dialogs/dialog-buttons.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { CodeField } from '../../ui/forms/proof-fields.js';
import { QrCode } from './qr-code.js';
import { RecoveryCodeList } from './recovery-code-list.js';

export function SetUpSecondFactor({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const { mutate: start, reset: forget, ...setup } = useMutation({ mutationFn: startSecondFactor });
  const confirm = useMutation({ mutationFn: confirmSecondFactor });
  useEffect(() => {
    if (opened) start();
    else forget();
  }, [opened, start, forget]);
  const close = () => {
    const isConfirmed = confirm.isSuccess;
    onClose();
    setCode('');
    confirm.reset();
    if (isConfirmed) void client.invalidateQueries({ queryKey: ['session'] });
  };
  return (
    <SecretModal
      holdsSecret={setup.data !== undefined}
      opened={opened}
      onClose={close}
      title={text.me.secondFactorSetUp}
    >
      {setup.error && <ErrorState error={setup.error} onRetry={() => start()} />}
      {!setup.data && !setup.error && <LoadingState />}
      {confirm.data && <RecoveryCodeList codes={confirm.data.recoveryCodes} onDone={close} />}
      {setup.data && !confirm.data && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            confirm.mutate(code.trim());
          }}
        >
          <Stack>
            <Text size="sm">{text.me.scan}</Text>
            <Center>
              <QrCode value={setup.data.uri} label={text.me.qrCode} />
            </Center>
            <CopyField label={text.me.secretText} value={setup.data.secret} />
            {confirm.error && <ErrorState error={confirm.error} />}
            <CodeField
              label={text.me.firstCode}
              description={undefined}
              inputMode="numeric"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <DialogButtons onCancel={close} loading={confirm.isPending}>
              {text.signIn.confirm}
            </DialogButtons>
          </Stack>
        </form>
      )}
    </SecretModal>
  );
}
