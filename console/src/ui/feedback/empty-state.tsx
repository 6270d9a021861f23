import { Center, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../basics/icons.js';

interface EmptyStateProps {
  icon?: IconName;
  title: string;
  hint?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon = 'inbox', title, hint, action }: EmptyStateProps) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={440} ta="center">
        <Text c="dimmed" component="span" lh={1}>
          <Icon name={icon} size={36} />
        </Text>
        <Text fw={600}>{title}</Text>
        {hint && (
          <Text c="dimmed" size="sm">
            {hint}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
