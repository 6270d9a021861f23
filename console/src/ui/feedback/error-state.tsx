import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

interface ErrorStateProps {
  error: unknown;
  onRetry?: () => void;
  /** Link or button that helps if retrying does not. */
  action?: ReactNode;
}

export function ErrorState({ error, onRetry, action }: ErrorStateProps) {
  const { title, message } = explain(error);
  return (
    <Alert color="red" variant="light" title={title} icon={<Icon name="warning" />} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{message}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry} leftSection={<Icon name="refresh" size={14} />}>
            {text.common.retry}
          </Button>
        )}
        {action}
      </Stack>
    </Alert>
  );
}

export function explain(error: unknown): { title: string; message: string } {
  if (!(error instanceof ApiError)) return { title: text.errors.page, message: text.errors.pageHint };
  if (error.status === 0) return { title: text.errors.unreachable, message: text.errors.unreachableHint };
  if (error.status === 403) return { title: text.errors.forbidden, message: error.message };
  if (error.status === 404) return { title: text.errors.notFound, message: error.message };
  if (error.status >= 500) return { title: text.errors.server, message: error.message };
  return { title: text.errors.refused, message: error.message };
}
