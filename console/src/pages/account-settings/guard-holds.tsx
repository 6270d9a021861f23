import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Guards, releaseHold } from '../../api/account/guard.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.guard;

/** Shows the number ranges that are blocked on suspicion of SMS pumping. */
export function GuardHolds({ accountId, holds }: { accountId: string; holds: Guards['holds'] }) {
  const mayRelease = useCan('developer');
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ id, prefix }: Guards['holds'][number]) => {
      await releaseHold(accountId, id);
      notify(words.released(prefix));
    },
  });
  if (holds.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="warning" />} title={words.holds}>
      <Stack gap="xs">
        {holds.map((hold) => (
          <Group key={hold.id} justify="space-between" wrap="wrap">
            <Text size="sm">
              {words.hold(hold.prefix, hold.messages)}, {words.reasons[hold.reason] ?? hold.reason}, {words.until}{' '}
              <TimeText value={hold.until} />
            </Text>
            {mayRelease && (
              <Button
                variant="default"
                size="xs"
                disabled={isPending}
                aria-label={words.releaseNamed(hold.prefix)}
                onClick={() => mutate(hold)}
              >
                {words.release}
              </Button>
            )}
          </Group>
        ))}
        {error && <ErrorState error={error} />}
      </Stack>
    </Alert>
  );
}
