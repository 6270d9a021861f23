import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Heading } from './heading.js';

interface SectionProps {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="md" radius="md" aria-label={title}>
      <Stack gap="md">
        {(title || actions) && (
          <Heading gap={2} miw={180} actions={actions}>
            {title && <Title order={2}>{title}</Title>}
            {lead && (
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            )}
          </Heading>
        )}
        {children}
      </Stack>
    </Paper>
  );
}
