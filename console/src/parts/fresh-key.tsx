import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';

interface FreshKeyProps {
  accountId: string;
  id: string;
  /** That it is shown this once. */
  once: string;
  /** The operation that the playground is to begin with. */
  operation: string;
  onDone(): void;
  /** The key, and whatever else a program needs beside it. */
  children: ReactNode;
}

/** A key that was just made, to be taken elsewhere or tried in the playground. */
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
