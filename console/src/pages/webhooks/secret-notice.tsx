import { Alert, Stack, Text } from '@mantine/core';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { CopyField } from '../../ui/forms/copy-field.js';

/** A secret that was made just now: it is shown this once. */
export function SecretNotice({ secret }: { secret: string }) {
  return (
    <Alert color="green" variant="light" icon={<Icon name="key" />} title={text.webhooks.secretOnce}>
      <Stack gap="sm">
        <Text size="sm">{text.webhooks.secretHint}</Text>
        <CopyField label={text.webhooks.secret} value={secret} />
      </Stack>
    </Alert>
  );
}
