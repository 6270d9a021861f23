import { Text } from '@mantine/core';

/** What is wrong with something that is no field and so has no place of its own for it; nothing where nothing is. */
export function ProblemText({ children }: { children: string | undefined }) {
  if (!children) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {children}
    </Text>
  );
}
