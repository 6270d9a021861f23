import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <SimpleGrid component="dl" className={classes.facts} cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" className={classes.value}>
            {value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** Shows one fact per line, even if there is room for more. */
export function FactLines({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <Stack component="dl" gap={6} m={0}>
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value]) => (
          <Group key={name} justify="space-between" gap="md" wrap="nowrap" align="flex-start">
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" className={classes.value} size="sm" ta="end">
              {value}
            </Text>
          </Group>
        ))}
    </Stack>
  );
}
