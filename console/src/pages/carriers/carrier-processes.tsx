import { Stack, Text } from '@mantine/core';
import type { CarrierProcess } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';
import type { Column } from '../../ui/tables/data-table.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { NumberText } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { toProcessBadge } from './carrier-state.js';

const words = text.carriers;

export function CarrierProcesses({ name, processes }: { name: string; processes: readonly CarrierProcess[] }) {
  return (
    <DataTable
      caption={words.processes(name)}
      columns={COLUMNS}
      rows={processes}
      rowKey={({ host, pid }) => `${host}:${pid}`}
    />
  );
}

const COLUMNS: readonly Column<CarrierProcess>[] = [
  { key: 'process', header: words.process, render: ({ host, pid }) => `${host}:${pid}`, bare: true },
  {
    key: 'state',
    header: words.state,
    render: (row) => (
      <Stack gap={2} align="flex-start">
        <StatusBadge {...toProcessBadge(row)} />
        <Text size="xs" c="dimmed">
          {words.since} <TimeText value={row.isFresh ? row.since : row.refreshedAt} />
        </Text>
        {row.reason && <Text size="xs">{row.reason}</Text>}
      </Stack>
    ),
  },
  { key: 'rate', header: words.rate, align: 'right', render: (row) => <NumberText value={row.ratePerSecond} /> },
  { key: 'hand', header: words.beingSent, align: 'right', render: (row) => <NumberText value={row.inHand} /> },
  {
    key: 'connections',
    header: words.connections,
    render: ({ connections }) =>
      connections.length === 0
        ? words.noConnections
        : connections.map((connection) => (
            <Text size="sm" key={connection.name}>
              {words.connection(connection.name, connection.isUp)}
            </Text>
          )),
  },
  {
    key: 'error',
    header: words.lastError,
    render: ({ lastError }) =>
      lastError ? (
        <>
          <Text size="sm">{lastError.text}</Text>
          <Text size="xs" c="dimmed">
            <TimeText value={lastError.at} />
          </Text>
        </>
      ) : (
        words.noError
      ),
  },
];
