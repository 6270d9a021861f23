import { Badge } from '@mantine/core';
import { text } from '../../text/en.js';
import { formatTime } from '../../ui/values/time-text.js';
import { useNow } from './use-now.js';

export const isOpenAt = (expiresAt: string | null, now: number): boolean =>
  expiresAt !== null && now < new Date(expiresAt).getTime();

interface WindowLeftProps {
  /** End of the 24-hour window, or null if the contact has never written. */
  expiresAt: string | null;
  /** Whether to show only a short text, as in lists, and no text when the window is closed. */
  plain?: boolean;
}

export function WindowLeft({ expiresAt, plain = false }: WindowLeftProps) {
  const now = useNow(plain ? 30_000 : 1_000);
  const isOpen = isOpenAt(expiresAt, now);
  const label =
    isOpen && expiresAt ? formatRemaining(new Date(expiresAt).getTime() - now, plain) : text.inbox.windowClosed;
  const title = expiresAt ? text.inbox.windowUntil(formatTime(expiresAt)) : text.inbox.neverWrote;
  if (plain) return isOpen ? <span title={title}>{label}</span> : null;
  return (
    <Badge variant="light" color={isOpen ? 'green' : 'gray'} radius="sm" tt="none" title={title} role="timer">
      {label}
    </Badge>
  );
}

function formatRemaining(milliseconds: number, plain: boolean): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (plain) return hours > 0 ? text.inbox.timeLeftShort.hours(hours) : text.inbox.timeLeftShort.minutes(minutes);
  return hours > 0 ? text.inbox.leftHours(hours, minutes) : text.inbox.leftSeconds(minutes, seconds % 60);
}
