import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';

interface CreatedKeyProps {
  accountId: string;
  id: string;
  notice: string;
  operation: string;
  onDone(): void;
  children: ReactNode;
}

export function CreatedKey({ accountId, id, notice, operation, onDone, children }: CreatedKeyProps) {
  return (
    <Stack>
      <Text size="sm">{notice}</Text>
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {text.common.done}
        </Button>
        <ButtonLink to="/a/$accountId/developers/playground" params={{ accountId }} search={{ operation, with: id }}>
          {text.apps.tryIt}
        </ButtonLink>
      </Group>
    </Stack>
  );
}
