import { Group, Stack, type StackProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface HeadingProps extends StackProps {
  /** The title, and what stands with it. */
  children: ReactNode;
  /** Buttons at its right. */
  actions?: ReactNode;
}

/** What stands above a page or a part of it. */
export function Heading({ actions, children, ...stack }: HeadingProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack flex={1} {...stack}>
        {children}
      </Stack>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
