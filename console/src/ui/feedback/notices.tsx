import { CloseButton, Group, Paper, Stack, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Icon } from '../basics/icons.js';
import { explain } from './error-state.js';
import classes from './notices.module.css';

interface Notice {
  id: number;
  kind: 'done' | 'failed';
  message: string;
}

/** Milliseconds for which a success is shown; failures stay until they are closed. */
const SHOWN_MS = 6_000;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function setNotices(next: readonly Notice[]) {
  notices = next;
  for (const listener of listeners) listener();
}

function addNotice(kind: Notice['kind'], message: string) {
  lastId += 1;
  const id = lastId;
  setNotices([...notices, { id, kind, message }].slice(-3));
  if (kind === 'done') setTimeout(() => close(id), SHOWN_MS);
}

function close(id: number) {
  setNotices(notices.filter((notice) => notice.id !== id));
}

export const notify = (message: string) => addNotice('done', message);

/** Shows the error of an action that has no form to show it in. */
export function notifyError(error: unknown): void {
  const { title, message } = explain(error);
  addNotice('failed', `${title}. ${message}`);
}

export function Notices() {
  const visibleNotices = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <Stack className={classes.notices} gap="xs" role="status" aria-live="polite">
      {visibleNotices.map(({ id, kind, message }) => (
        <Paper key={id} withBorder shadow="md" p="sm" className={classes.notice} data-kind={kind}>
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <Icon name={kind === 'done' ? 'check' : 'warning'} />
            <Text size="sm" flex={1}>
              {message}
            </Text>
            <CloseButton size="sm" onClick={() => close(id)} />
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}
