import { Button, Group, List, Modal, Stack, Text, ThemeIcon } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { checkCarrier } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';

const words = text.carriers;

export function CheckDialog({ name, onClose }: { name: string; onClose(): void }) {
  return (
    <Modal opened onClose={onClose} title={words.checkTitle(name)} size="lg">
      <Check name={name} />
    </Modal>
  );
}

function Check({ name }: { name: string }) {
  // The check is not a query, because queries are refetched automatically, and every check sends secrets to the carrier.
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => checkCarrier(name) });
  const hasStarted = useRef(false);
  useEffect(() => {
    // React's strict mode runs effects twice, but the carrier must be checked only once.
    if (hasStarted.current) return;
    hasStarted.current = true;
    mutate();
  }, [mutate]);
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {words.checkHint}
      </Text>
      <Stack aria-live="polite" aria-busy={isPending}>
        {isPending && (
          <>
            <Text size="sm">{words.checking}</Text>
            <LoadingState lines={3} />
          </>
        )}
        {!isPending && error && <ErrorState error={error} />}
        {!isPending && data && (
          <>
            <Text fw={600}>{describeResult(data)}</Text>
            <List spacing="xs" listStyleType="none" withPadding={false}>
              {data.steps.map(({ what, problem, setting, isUntried }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps are a fixed list and may be identical.
                <List.Item key={index} icon={isUntried ? <UntriedSteps /> : <Mark isGood={problem === null} />}>
                  <Text size="sm">{what}</Text>
                  {problem !== null && (
                    <Text size="sm" c="var(--mantine-color-error)">
                      {problem}
                      {setting && ` (${words.checkSetting(setting)})`}
                    </Text>
                  )}
                </List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
      <Group justify="flex-end">
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          {words.checkAgain}
        </Button>
      </Group>
    </Stack>
  );
}

function describeResult({ ok, steps }: { ok: boolean; steps: readonly { isUntried: boolean }[] }): string {
  if (!ok) return words.checkBad;
  return steps.some(({ isUntried }) => isUntried) ? words.checkUntried : words.checkGood;
}

function UntriedSteps() {
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color="gray">
      <Icon name="info" size={14} label={words.stepUntried} />
    </ThemeIcon>
  );
}

function Mark({ isGood }: { isGood: boolean }) {
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color={isGood ? 'green' : 'red'}>
      <Icon name={isGood ? 'check' : 'x'} size={14} label={isGood ? words.stepWorked : words.stepFailed} />
    </ThemeIcon>
  );
}
