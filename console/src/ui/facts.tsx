import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** What is known of a thing: names with values, side by side where there is room. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
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
