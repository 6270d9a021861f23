import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A framed part of a page with a heading of its own. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="md" radius="md" aria-label={title}>
      <Stack gap="md">
        {(title || actions) && (
          <Group justify="space-between" align="flex-start" gap="sm">
            <Stack gap={2} flex={1} miw={180}>
              {title && <Title order={2}>{title}</Title>}
              {lead && (
                <Text c="dimmed" size="sm">
                  {lead}
                </Text>
              )}
            </Stack>
            {actions && <Group gap="xs">{actions}</Group>}
          </Group>
        )}
        {children}
      </Stack>
    </Paper>
  );
}
