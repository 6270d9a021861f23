import { Button, Group, Stack, Text } from '@mantine/core';
import type { SignInLink } from '../../api/operators/operators.js';
import { text } from '../../text/en.js';
import { SecretModal } from '../../ui/dialogs/secret-modal.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.operators;

export interface NewLink {
  name: string;
  link: SignInLink;
}

export function LinkDialog({ newLink, onClose }: { newLink: NewLink; onClose(): void }) {
  return (
    <SecretModal holdsSecret opened onClose={onClose} title={words.linkTitle(newLink.name)} size="lg">
      <Stack>
        <Text size="sm">{words.linkOnce}</Text>
        <CopyField label={words.link} value={newLink.link.url} />
        <Text size="sm" c="dimmed">
          {words.linkUntil} <TimeText value={newLink.link.expiresAt} />
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{text.common.done}</Button>
        </Group>
      </Stack>
    </SecretModal>
  );
}
