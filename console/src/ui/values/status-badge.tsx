import { Badge, type MantineColor } from '@mantine/core';
import { text } from '../../text/en.js';

/** What the statuses of messages, campaigns, templates, carriers and the like have in common. */
const COLOURS: Readonly<Record<string, MantineColor>> = {
  delivered: 'green',
  read: 'green',
  completed: 'green',
  active: 'green',
  approved: 'green',
  healthy: 'green',
  connected: 'green',
  up: 'green',
  succeeded: 'green',
  sent: 'blue',
  sending: 'blue',
  running: 'blue',
  in_progress: 'blue',
  queued: 'gray',
  pending: 'yellow',
  scheduled: 'yellow',
  paused: 'yellow',
  degraded: 'yellow',
  retrying: 'yellow',
  failed: 'red',
  rejected: 'red',
  undelivered: 'red',
  expired: 'red',
  down: 'red',
  disabled: 'gray',
  draft: 'gray',
  canceled: 'gray',
  cancelled: 'gray',
  revoked: 'gray',
};

/** Letters of a word that is never cut off, however narrow its column; a telephone has room for them. */
const MOST_WHOLE = 24;

interface StatusBadgeProps {
  status: string;
  /** In place of the status's own word. */
  label?: string;
  color?: MantineColor;
}

/** A status as a coloured word; the word says it all, the colour only helps. */
export function StatusBadge({ status, label, color }: StatusBadgeProps) {
  const key = status.toLowerCase();
  const words: Readonly<Record<string, string>> = text.status;
  const word = label ?? words[key] ?? status;
  return (
    <Badge
      variant="light"
      radius="sm"
      tt="none"
      c="var(--mantine-color-text)"
      color={color ?? COLOURS[key] ?? 'gray'}
      {...(word.length <= MOST_WHOLE && { miw: 'max-content' })}
    >
      {word}
    </Badge>
  );
}
