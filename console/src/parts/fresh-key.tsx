import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';

interface FreshKeyProps {
  accountId: string;
  id: string;
  /** Warning that the key is shown only once. */
  once: string;
  /** The operation that the playground opens. */
  operation: string;
  onDone(): void;
  /** The key and other values that a program needs. */
  children: ReactNode;
}

/** Shows a newly created key, to copy it or try it in the playground. */
export function FreshKey({ accountId, id, once, operation, onDone, children }: FreshKeyProps) {
  return (
    <Stack>
      <Text size="sm">{once}</Text>
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
