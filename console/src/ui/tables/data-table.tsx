import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import type { KeyPages } from '../../api/client/key-pages.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';
import { EmptyState } from '../feedback/empty-state.js';
import { ErrorState } from '../feedback/error-state.js';
import { LoadingState } from '../feedback/loading-state.js';
import { formatNumber } from '../values/numbers.js';
import classes from './data-table.module.css';

/** On a phone, rows become cards and columns become lines. */
export interface Column<T> {
  key: string;
  header: string;
  render(row: T): ReactNode;
  align?: 'left' | 'right';
  /** Whether the card shown on phones leaves out this column's header as a label, for example for the row's name. */
  bare?: boolean;
  wideOnly?: boolean;
  /** Whether the column never wraps, for example for times and numbers. Right-aligned columns never wrap. */
  nowrap?: boolean;
  /** Whether lines may break within words, for example in URLs, addresses and free text. */
  breaks?: boolean;
}

export function nameColumn<T>(header: string, render: Column<T>['render']): Column<T> {
  return { key: 'name', header, bare: true, breaks: true, render };
}

export function actionsColumn<T>(render: Column<T>['render']): Column<T> {
  return { key: 'actions', header: text.common.actions, bare: true, align: 'right', render };
}

interface DataTableProps<T> {
  caption: string;
  columns: readonly Column<T>[];
  rowKey?: (row: T) => string;
  /** All rows, or undefined for a paged list, whose rows are in `pages` (see `useKeyPages`). */
  rows?: readonly T[] | undefined;
  pages?: KeyPages<T>;
  /** Why loading `rows` failed. */
  error?: unknown;
  onRetry?: () => void;
  empty?: ReactNode;
  /** Opens the row; for keyboard users, the row's first cell has a link with the same target. */
  onOpen?: (row: T) => void;
}

/** Arrow keys move between the rows' links. Rows stay visible until new rows have loaded, so that the page does not jump. */
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
          {/* The table's roles are set explicitly, because the phone layout uses display: block, which removes them. */}
          {/* biome-ignore-start lint/a11y/noRedundantRoles: display: block removes the implicit roles. */}
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
  to: KeyPages<unknown>['next'];
  children: string;
}

function PagerButton({ to, ...button }: PagerButtonProps) {
  return <Button variant="default" size="xs" disabled={!to} onClick={() => to?.()} {...button} />;
}

/** Opens the row unless the click was on a control or selected text. */
function openByClick(event: MouseEvent<HTMLTableRowElement>, open: () => void) {
  // Clicks in a row's dialogs bubble to the row, although the dialogs are elsewhere in the DOM.
  if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return;
  if (event.target.closest('a, button, input, label, [role="menu"]')) return;
  if (String(window.getSelection()) !== '') return;
  open();
}

function moveByArrows(event: KeyboardEvent<HTMLTableElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
  if (!row || !(event.target instanceof HTMLAnchorElement)) return;
  const sibling = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  const link = sibling?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
