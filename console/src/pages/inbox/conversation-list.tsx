import { Badge, Button, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { type Conversation, conversationsQuery } from '../../api/inbox.js';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';
import classes from './inbox.module.css';
import { ShortNumber } from './short-number.js';
import { WindowLeft } from './window-left.js';

const FILTERS = {
  all: {},
  unread: { unread: true },
  open: { windowOpen: true },
} as const;
type Show = keyof typeof FILTERS;

interface ConversationListProps {
  channelRef: ChannelRef;
  openId: string | undefined;
}

export function ConversationList({ channelRef, openId }: ConversationListProps) {
  const [params, setParams] = useSearchParams();
  const show: Show = params.show !== undefined && params.show in FILTERS ? (params.show as Show) : 'all';
  const search = params.search ?? '';
  const [searchText, setEntered] = useState(search);
  const applySearch = useDebouncedCallback((term: string) => setParams({ search: term }, { replace: true }), 250);
  const list = useInfiniteQuery(conversationsQuery(channelRef, { ...FILTERS[show], search }));
  const entries = list.data?.pages.flatMap(({ data }) => data);
  return (
    <nav className={classes.side} aria-label={text.inbox.conversations}>
      <div className={classes.filters}>
        <TextInput
          aria-label={text.inbox.search}
          placeholder={text.inbox.search}
          leftSection={<Icon name="search" size={16} />}
          type="search"
          value={searchText}
          onChange={({ currentTarget: { value } }) => {
            setEntered(value);
            applySearch(value.trim());
          }}
        />
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={text.inbox.show}
          value={show}
          onChange={(value) => setParams({ show: value === 'all' ? undefined : value })}
          data={[
            { value: 'all', label: text.inbox.showAll },
            { value: 'unread', label: text.inbox.showUnread },
            { value: 'open', label: text.inbox.showOpen },
          ]}
        />
      </div>
      {list.isError && !entries && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <LoadingState lines={6} />}
      {entries?.length === 0 && (
        <EmptyState
          title={search || show !== 'all' ? text.inbox.noneFound : text.inbox.none}
          hint={search || show !== 'all' ? text.inbox.noneFoundHint : text.inbox.noneHint}
        />
      )}
      {entries && entries.length > 0 && (
        <ul className={classes.list} onKeyDown={moveByArrows}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Entry conversation={entry} isCurrent={entry.id === openId} accountId={channelRef.accountId} />
            </li>
          ))}
          {list.hasNextPage && (
            <li>
              <Button
                variant="subtle"
                fullWidth
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                {text.inbox.more}
              </Button>
            </li>
          )}
        </ul>
      )}
    </nav>
  );
}

interface EntryProps {
  conversation: Conversation;
  isCurrent: boolean;
  accountId: string;
}

function Entry({ conversation, isCurrent, accountId }: EntryProps) {
  const { id, contact, unreadCount, lastMessage, lastMessageAt, windowExpiresAt } = conversation;
  return (
    <Link
      to="/a/$accountId/inbox/$conversationId"
      params={{ accountId, conversationId: id }}
      search={(last) => last}
      className={classes.entry}
      aria-current={isCurrent ? 'page' : undefined}
      data-unread={unreadCount > 0 || undefined}
    >
      <span className={classes.who}>{contact.name || <ShortNumber person={contact} />}</span>
      <span className={classes.when}>
        <TimeText value={lastMessageAt} as="ago" />
      </span>
      <span className={classes.last}>{lastMessage ? previewText(lastMessage) : text.inbox.noMessages}</span>
      <span className={classes.left}>
        {unreadCount > 0 ? (
          <Badge size="sm" circle={unreadCount < 10} color="red">
            {formatNumber(unreadCount)}
            <VisuallyHidden> {text.inbox.unread}</VisuallyHidden>
          </Badge>
        ) : (
          <WindowLeft expiresAt={windowExpiresAt} plain />
        )}
      </span>
    </Link>
  );
}

function previewText({ direction, type, text: body }: NonNullable<Conversation['lastMessage']>): string {
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const snippet = body || (types[type] ?? type);
  return direction === 'outbound' ? text.inbox.you(snippet) : snippet;
}

function moveByArrows(event: KeyboardEvent<HTMLUListElement>) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const item = event.target instanceof Element ? event.target.closest('li') : null;
  const sibling = event.key === 'ArrowDown' ? item?.nextElementSibling : item?.previousElementSibling;
  const link = sibling?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
}
