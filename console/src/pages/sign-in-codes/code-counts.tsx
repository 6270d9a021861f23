import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CodeCounts, codeCountsQuery } from '../../api/sign-in-codes.js';
import { text } from '../../text/en.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.signInCodes;

const NUMBERS = ['codes', 'sent', 'checked', 'approved'] as const;

export function CodeCountsTable({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useQuery(codeCountsQuery(accountId));
  const columns: Column<CodeCounts>[] = [
    { key: 'country', header: words.country, bare: true, render: ({ callingCode }) => `+${callingCode}` },
    ...NUMBERS.map(
      (name): Column<CodeCounts> => ({
        key: name,
        header: words[name],
        align: 'right',
        render: (row) => formatNumber(row[name]),
      }),
    ),
    {
      key: 'converted',
      header: words.converted,
      align: 'right',
      render: ({ codes, approved }) => (codes === 0 ? '–' : `${Math.round((100 * approved) / codes)} %`),
    },
    {
      key: 'passedOn',
      header: words.fromLoginSystems,
      align: 'right',
      render: ({ passedOn }) => formatNumber(passedOn),
    },
  ];
  return (
    <DataTable
      caption={words.counts}
      columns={columns}
      rowKey={({ callingCode }) => callingCode}
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      empty={
        <Text size="sm" c="dimmed">
          {words.noCounts}
        </Text>
      }
    />
  );
}
