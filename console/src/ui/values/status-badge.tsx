import { Badge, type MantineColor } from '@mantine/core';
import { text } from '../../text/en.js';

const COLORS: Readonly<Record<string, MantineColor>> = {
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

/** Labels of up to this many characters are never truncated, because they fit on a phone's screen. */
const MAX_WHOLE = 24;

interface StatusBadgeProps {
  status: string;
  label?: string;
  color?: MantineColor;
}

/** The color is never the only sign of a status. */
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
      color={color ?? COLORS[key] ?? 'gray'}
      {...(word.length <= MAX_WHOLE && { miw: 'max-content' })}
    >
      {word}
    </Badge>
  );
}
