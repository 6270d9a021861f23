import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyPages } from '../../api/client/key-pages.js';
import { useSearchParams } from '../../browser/search.js';
import type { IconName } from '../basics/icons.js';
import { EmptyList } from '../feedback/empty-list.js';
import { SearchField } from '../forms/search-field.js';
import { type Column, DataTable } from './data-table.js';

interface SearchedTableProps<T> {
  words: { title: string; search: string; noMatch: string; empty: string; emptyHint: string };
  icon: IconName;
  columns: readonly Column<T>[];
  pages: KeyPages<T>;
  rowKey(row: T): string;
  action?: ReactNode;
}

/** The search field sets `search` in the URL. */
export function SearchedTable<T>({ words, icon, action, ...table }: SearchedTableProps<T>) {
  const [{ search }] = useSearchParams();
  return (
    <Stack gap="md">
      <Group>
        <SearchField label={words.search} />
      </Group>
      <DataTable
        {...table}
        caption={words.title}
        empty={
          <EmptyList
            isSearch={Boolean(search)}
            notFound={words.noMatch}
            icon={icon}
            title={words.empty}
            hint={words.emptyHint}
            action={action}
          />
        }
      />
    </Stack>
  );
}
