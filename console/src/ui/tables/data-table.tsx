import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import type { KeyPages } from '../../api/asking/key-pages.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';
import { EmptyState } from '../feedback/empty-state.js';
import { ErrorState } from '../feedback/error-state.js';
import { LoadingState } from '../feedback/loading-state.js';
import { formatNumber } from '../values/numbers.js';
import classes from './data-table.module.css';

/** A column of a table; on a phone a line of a card. */
export interface Column<T> {
  key: string;
  header: string;
  render(row: T): ReactNode;
  align?: 'left' | 'right';
  /** Without it the card on a phone names the value by the header; the first column, which names the row, needs none. */
  bare?: boolean;
  /** Left out on a phone. */
  wideOnly?: boolean;
  /** Never broken into lines, such as times and numbers; those at the right never are. */
  nowrap?: boolean;
  /** Broken anywhere where it must be: URLs, addresses, what people write. No other word is broken. */
  breaks?: boolean;
}

/** The first column: what people call the row. */
export function nameColumn<T>(header: string, render: Column<T>['render']): Column<T> {
  return { key: 'name', header, bare: true, breaks: true, render };
}

/** The last column: what can be done with a row. */
export function actionsColumn<T>(render: Column<T>['render']): Column<T> {
  return { key: 'actions', header: text.common.actions, bare: true, align: 'right', render };
}

interface DataTableProps<T> {
  /** What the table lists; read aloud, not shown. */
  caption: string;
  columns: readonly Column<T>[];
  /** What tells a row from all others: its `id`, unless told. */
  rowKey?: (row: T) => string;
  /** All rows, or a page of them (`useKeyPages`). */
  rows?: readonly T[] | undefined;
  pages?: KeyPages<T>;
  /** With `rows`: why there are none, and the way to ask again. */
  error?: unknown;
  onRetry?: () => void;
  /** In place of a table without rows. */
  empty?: ReactNode;
  /** What a click anywhere on a row does. The row's first cell holds a link to the same place, for the keyboard. */
  onOpen?: (row: T) => void;
}

/**
 * A list of things. Arrow keys move between the links of the rows; on a phone each row is a card. Rows that are there
 * stay until others take their place, so that nothing jumps.
 */
export function DataTable<T extends { id: string }>(props: DataTableProps<T>): ReactNode;
export function DataTable<T>(props: DataTableProps<T> & Required<Pick<DataTableProps<T>, 'rowKey'>>): ReactNode;
export function DataTable<T extends { id: string }>({ pages, ...props }: DataTableProps<T>) {
  const rows = pages ? pages.rows : props.rows;
  const error = pages ? pages.error : props.error;
  const { caption, columns, rowKey = ({ id }) => id, empty, onOpen } = props;
  const onRetry = pages?.refetch ?? props.onRetry;
  if (!rows) {
    return error ? <ErrorState error={error} {...(onRetry && { onRetry })} /> : <LoadingState lines={6} />;
  }
  const isEmpty = rows.length === 0;
  return (
    <div>
      {Boolean(error) && <ErrorState error={error} {...(onRetry && { onRetry })} />}
      {isEmpty ? (
        (empty ?? <EmptyState title={text.common.nothing} />)
      ) : (
        <div className={classes.scroll}>
          {/* Its parts are cards on a phone, which would take their meaning from them if it were not said again. */}
          {/* biome-ignore-start lint/a11y/noRedundantRoles: display: block takes the roles of a table away. */}
          <table role="table" className={classes.table} aria-busy={pages?.isPlaceholder} onKeyDown={moveByArrows}>
            <caption className="visually-hidden">{caption}</caption>
            <thead role="rowgroup">
              <tr role="row">
                {columns.map((column) => (
                  <th key={column.key} role="columnheader" scope="col" data-align={column.align}>
                    {column.header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows.map((row) => (
                <tr
                  key={rowKey(row)}
                  role="row"
                  data-opens={onOpen ? true : undefined}
                  onClick={onOpen && ((event) => openByClick(event, () => onOpen(row)))}
                >
                  {columns.map((column) => (
                    <td
                      key={column.key}
                      role="cell"
                      data-align={column.align}
                      data-wide-only={column.wideOnly}
                      data-nowrap={column.nowrap}
                      data-breaks={column.breaks}
                      data-label={column.bare ? undefined : column.header}
                    >
                      {column.render(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {/* biome-ignore-end lint/a11y/noRedundantRoles: see above. */}
        </div>
      )}
      {pages && (pages.next || pages.previous || pages.first) && <Pager pages={pages} />}
    </div>
  );
}

function Pager<T>({ pages }: { pages: KeyPages<T> }) {
  const { total, next, previous, first } = pages;
  return (
    <Group component="nav" aria-label={text.common.pages} justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        {total !== undefined && text.common.inAll(formatNumber(total))}
      </Text>
      <Group gap="xs">
        <PagerButton to={first}>{text.common.firstPage}</PagerButton>
        <PagerButton to={previous} leftSection={<Icon name="chevron-left" size={14} />}>
          {text.common.previousPage}
        </PagerButton>
        <PagerButton to={next} rightSection={<Icon name="chevron-right" size={14} />}>
          {text.common.nextPage}
        </PagerButton>
      </Group>
    </Group>
  );
}

interface PagerButtonProps extends ButtonProps {
  /** Null where there is no such page. */
  to: KeyPages<unknown>['next'];
  children: string;
}

function PagerButton({ to, ...button }: PagerButtonProps) {
  return <Button variant="default" size="xs" disabled={!to} onClick={() => to?.()} {...button} />;
}

/** A click on a link, button or field is meant for that; one that selects text opens nothing. */
function openByClick(event: MouseEvent<HTMLTableRowElement>, open: () => void) {
  // A dialog of the row stands elsewhere, but its clicks come here.
  if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return;
  if (event.target.closest('a, button, input, label, [role="menu"]')) return;
  if (String(window.getSelection()) !== '') return;
  open();
}

function moveByArrows(event: KeyboardEvent<HTMLTableElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
  if (!row || !(event.target instanceof HTMLAnchorElement)) return;
  const other = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  const link = other?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
