import { Alert, Stack, Text } from '@mantine/core';
import { useAccountId, useCan } from '../session/session.js';
import { text } from '../text/en.js';
import { Icon } from '../ui/basics/icons.js';
import { TextLink } from '../ui/basics/links.js';

export function NoCredit({ title }: { title: string }) {
  const accountId = useAccountId();
  const mayAdd = useCan('owner', 'installation');
  return (
    <Alert color="yellow" variant="light" title={title} icon={<Icon name="coins" />}>
      <Stack gap={4} align="flex-start">
        <Text size="sm">{text.noCredit.hint}</Text>
        {mayAdd && (
          <TextLink to="/a/$accountId/settings" params={{ accountId }} size="sm">
            {text.noCredit.add}
          </TextLink>
        )}
      </Stack>
    </Alert>
  );
}
