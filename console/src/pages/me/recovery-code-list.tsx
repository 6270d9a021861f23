import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { text } from '../../text/en.js';
import { CopyButton } from '../../ui/forms/copy-field.js';

export function RecoveryCodeList({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  return (
    <Stack>
      <Text size="sm">{text.me.codesOnce}</Text>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code} fz="sm" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="flex-end">
        <CopyButton value={codes.join('\n')} />
        <Button onClick={onDone}>{text.me.codesKept}</Button>
      </Group>
    </Stack>
  );
}
