import { Button } from '@mantine/core';
import type { Webhook } from '../../api/webhooks.js';
import { text } from '../../text/en.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { SecretNotice } from './secret-notice.js';

interface SecretDialogProps {
  /** Null closes the dialog. */
  secret: string | null;
  format: Webhook['format'];
  onDone(): void;
}

export function SecretDialog({ secret, format, onDone }: SecretDialogProps) {
  return (
    <SecretModal holdsSecret opened={secret !== null} onClose={onDone} title={text.webhooks.rotated} size="lg">
      {secret !== null && <SecretNotice secret={secret} format={format} />}
      <Button mt="md" onClick={onDone} fullWidth>
        {text.common.done}
      </Button>
    </SecretModal>
  );
}
