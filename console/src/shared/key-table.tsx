import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text/en.js';
import { ConfirmButton, type Question } from '../ui/dialogs/confirm-button.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { actionsColumn, type Column, DataTable } from '../ui/tables/data-table.js';
import { StatusBadge } from '../ui/values/status-badge.js';
import { TimeText } from '../ui/values/time-text.js';

interface ShownKey {
  id: string;
  name: string;
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
  /** Creator, or null if the CLI created the key or the creator was not recorded. */
  madeBy: string | null;
}

interface KeyTableProps<T extends ShownKey> {
  caption: string;
  words: {
    key: string;
    empty: string;
    emptyHint: string;
    revokeQuestion(name: string): Question;
  };
  /** Columns of the table, of which the name must come first. */
  columns: readonly Column<T>[];
  rows: readonly T[] | undefined;
  error: unknown;
  onRetry(): void;
  create?: ReactNode;
  onRevoke?: ((id: string) => Promise<unknown>) | undefined;
}

export function KeyTable<T extends ShownKey>({ words, columns, create, onRevoke, ...table }: KeyTableProps<T>) {
  const allColumns: Column<T>[] = [
    ...columns,
    { key: 'key', header: words.key, nowrap: true, render: ({ lastFour }) => <Code>…{lastFour}</Code> },
    { key: 'created', header: text.apps.created, render: ({ createdAt }) => <TimeText value={createdAt} as="date" /> },
    { key: 'madeBy', header: text.apps.createdBy, render: ({ madeBy }) => madeBy ?? text.apps.createdByUnknown },
    {
      key: 'used',
      header: text.apps.lastUse,
      render: ({ lastUsedAt }) => <TimeText value={lastUsedAt} as="ago" none={text.common.never} />,
    },
    {
      key: 'state',
      header: text.apps.state,
      render: ({ revokedAt }) => <StatusBadge status={revokedAt ? 'revoked' : 'active'} />,
    },
    actionsColumn(
      ({ id, name, revokedAt }) =>
        onRevoke &&
        !revokedAt && (
          <ConfirmButton
            size="xs"
            aria-label={text.common.revokeNamed(name)}
            {...words.revokeQuestion(name)}
            onConfirm={() => onRevoke(id)}
          >
            {text.common.revoke}
          </ConfirmButton>
        ),
    ),
  ];
  return (
    <DataTable
      {...table}
      columns={allColumns}
      empty={<EmptyState icon="key" title={words.empty} hint={words.emptyHint} action={create} />}
    />
  );
}
