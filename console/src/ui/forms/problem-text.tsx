import { Text } from '@mantine/core';

/** An error message for a control that cannot display one itself. */
export function ProblemText({ children }: { children: string | undefined }) {
  if (!children) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {children}
    </Text>
  );
}
