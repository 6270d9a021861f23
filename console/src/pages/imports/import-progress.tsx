import { Alert, Button, Progress, Group as Row, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { type Import, type ImportUpload, readImport, sendImport, splitIntoSlices } from '../../api/imports.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { formatNumber } from '../../ui/values/numbers.js';
import type { PreparedImport } from './map-columns.js';
import { RefusedLink } from './refused-link.js';

const words = text.imports;
const POLL_MS = 700;

interface ImportProgressProps {
  channelRef: ChannelRef;
  prepared: PreparedImport;
  onRestart(): void;
}

export function ImportProgress({ channelRef, prepared, onRestart }: ImportProgressProps) {
  const { rows, options, country } = prepared;
  const client = useQueryClient();
  const [sending] = useState<ImportUpload>(() => ({
    slices: splitIntoSlices(rows),
    country,
    options,
    id: null,
    sentPositions: new Set(),
  }));
  const [sentRows, setSentRows] = useState(0);
  const [id, setId] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);

  const hasStarted = useRef(false);
  const run = useCallback(async () => {
    setError(null);
    try {
      setId(await sendImport(channelRef, sending, setSentRows));
      void client.invalidateQueries({ queryKey: ['imports', channelRef.accountId] });
    } catch (problem) {
      setError(problem);
    }
  }, [client, channelRef, sending]);
  useEffect(() => {
    // React's strict mode runs effects twice, but the import must be sent only once.
    if (hasStarted.current) return;
    hasStarted.current = true;
    void run();
  }, [run]);

  const job = useQuery({
    queryKey: ['imports', channelRef.accountId, channelRef.channelId, 'one', id],
    queryFn: ({ signal }) => readImport(channelRef, id ?? '', signal),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.completedAt ? false : POLL_MS),
  }).data;
  const isDone = Boolean(job?.completedAt);
  useEffect(() => {
    if (!isDone) return;
    for (const topic of ['imports', 'contacts', 'groups']) {
      void client.invalidateQueries({ queryKey: [topic, channelRef.accountId] });
    }
  }, [isDone, client, channelRef.accountId]);

  const total = formatNumber(rows.length);
  if (error) {
    return (
      <Stack>
        <Text size="sm">{words.stopped}</Text>
        <ErrorState error={error} onRetry={() => void run()} />
      </Stack>
    );
  }
  if (job && isDone) return <Result channelRef={channelRef} job={job} onRestart={onRestart} />;
  const isWorking = job?.status === 'running';
  const done = isWorking ? job.rows : sentRows;
  const sentence = isWorking
    ? words.working(formatNumber(done), total)
    : id
      ? words.waiting
      : words.sending(formatNumber(done), total);
  return (
    <Stack gap="xs">
      <Progress size="lg" value={(100 * done) / rows.length} aria-label={words.progress} />
      <Text size="sm" role="status">
        {sentence}
      </Text>
    </Stack>
  );
}

function Result({ channelRef, job, onRestart }: { channelRef: ChannelRef; job: Import; onRestart(): void }) {
  const isFailed = job.status === 'failed';
  return (
    <Stack>
      <Alert
        color={isFailed ? 'red' : 'gray'}
        variant="light"
        icon={<Icon name={isFailed ? 'warning' : 'check'} />}
        title={isFailed ? text.errors.refused : words.completed}
        role="status"
      >
        {isFailed
          ? job.errorMessage
          : (['created', 'updated', 'unchanged', 'refused'] as const)
              .map((key) => `${words.counts[key]}: ${formatNumber(job[key])}`)
              .join(' · ')}
      </Alert>
      <Row>
        {job.refused > 0 && <RefusedLink channelRef={channelRef} id={job.id} />}
        <Button size="xs" variant="default" onClick={onRestart}>
          {words.another}
        </Button>
      </Row>
    </Stack>
  );
}
