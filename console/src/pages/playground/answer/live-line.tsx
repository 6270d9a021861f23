import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAccountId } from '../../../session/session.js';
import { text } from '../../../text/en.js';
import { Icon } from '../../../ui/basics/icons.js';
import { phoneText } from '../../../ui/values/phone.js';
import { StatusBadge } from '../../../ui/values/status-badge.js';
import { fetchStatus, type SentMessage } from '../call.js';
import type { Credentials } from '../draft.js';
import type { Surface } from '../operations.js';
import classes from './live-line.module.css';

const POLL_MS = 400;
const STEPS = ['queued', 'sending', 'sent', 'delivered'] as const;
const GOOD = new Set(['delivered', 'read']);
const BAD = new Set(['undelivered', 'failed', 'rejected', 'expired', 'canceled']);

interface LiveLineProps {
  surface: Surface;
  message: SentMessage;
  credentials: Credentials;
}

export function LiveLine({ surface, message, credentials }: LiveLineProps) {
  const accountId = useAccountId();
  const { data, error } = useQuery({
    queryKey: ['playground', accountId, message.id],
    queryFn: () => fetchStatus(surface, message.id, credentials),
    refetchInterval: ({ state }) => (isFinal(state.data?.status) ? false : POLL_MS),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const to = message.to && phoneText(message.to);
  const status = data?.status ?? 'queued';
  const reachedStep = GOOD.has(status) ? STEPS.length - 1 : STEPS.indexOf(status as (typeof STEPS)[number]);
  return (
    <Paper withBorder p="sm" role="status" aria-label={text.playground.messageStatus(to ?? message.id)}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {to ? text.playground.messageTo(to) : text.playground.message}
          </Text>
          <StatusBadge status={status} />
        </Group>
        {!BAD.has(status) && (
          <ol className={classes.steps}>
            {STEPS.map((step, index) => (
              <li key={step} data-reached={index <= reachedStep}>
                <Icon name={index <= reachedStep ? 'check' : 'clock'} size={14} />
                {text.status[step]}
              </li>
            ))}
          </ol>
        )}
        {(data?.error || error) && (
          <Text size="sm" c="var(--mantine-color-error)">
            {data?.error ?? error?.message}
          </Text>
        )}
        <Link
          to="/a/$accountId/messages/$messageId"
          params={{ accountId, messageId: message.id }}
          className={classes.more}
        >
          {text.playground.history}
        </Link>
      </Stack>
    </Paper>
  );
}

function isFinal(status: string | undefined): boolean {
  return status !== undefined && (GOOD.has(status) || BAD.has(status));
}
