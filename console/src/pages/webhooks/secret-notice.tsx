import { Alert, Stack, Text } from '@mantine/core';
import type { Webhook } from '../../api/webhooks.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { CopyField } from '../../ui/forms/copy-field.js';

export function SecretNotice({ secret, format }: { secret: string; format: Webhook['format'] }) {
  const name = text.webhooks.secretNames[format];
  return (
    <Alert color="green" variant="light" icon={<Icon name="key" />} title={text.webhooks.secretOnce(name)}>
      <Stack gap="sm">
        <Text size="sm">{text.webhooks.secretHint}</Text>
        <CopyField label={name} value={secret} />
      </Stack>
    </Alert>
  );
}
