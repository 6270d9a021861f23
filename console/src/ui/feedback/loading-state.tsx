import { Skeleton, Stack } from '@mantine/core';
import { text } from '../../text/en.js';

export function LoadingState({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-busy="true">
      <span className="visually-hidden">{text.common.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are interchangeable.
        <Skeleton key={index} h={index === 0 ? 28 : 18} w={`${90 - ((index * 17) % 45)}%`} />
      ))}
    </Stack>
  );
}
