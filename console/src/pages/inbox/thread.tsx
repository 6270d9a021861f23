import { Badge, Button, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Channel } from '../../api/account/account.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { conversationQuery, historyQuery, type Message, markRead, type OpenConversation } from '../../api/inbox.js';
import { useIsVisible } from '../../browser/visibility.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { personText } from '../../ui/values/phone.js';
import { formatTime } from '../../ui/values/time-text.js';
import { Bubble } from './bubble.js';
import { Composer } from './composer.js';
import classes from './inbox.module.css';
import { withReactions } from './reactions.js';
import { ShortNumber } from './short-number.js';
import { useScrollEnd } from './use-scroll-end.js';
import { WindowLeft } from './window-left.js';

interface ThreadProps {
  channelRef: ChannelRef;
  channel: Channel;
  conversationId: string;
}

export function Thread({ channelRef, channel, conversationId }: ThreadProps) {
  const mayWrite = useCan('developer');
  const { data: conversation, error, refetch } = useQuery(conversationQuery(channelRef, conversationId));
  const history = useInfiniteQuery(historyQuery(channelRef, conversationId));
  const newestFirst = history.data?.pages.flatMap(({ data }) => data);
  const section = useFocusWhenOpened(conversation !== undefined && newestFirst !== undefined);
  useMarkRead(channelRef, conversation, mayWrite ? newestFirst?.[0] : undefined);
  // The list renders only when both the conversation and the messages have loaded.
  const scrollEnd = useScrollEnd(conversation && newestFirst?.[0]?.id);
  useFollowNewMessages(conversation?.lastMessage?.id, newestFirst?.[0]?.id, () => void history.refetch());
  const loadingError = error ?? history.error;
  const retry = () => void Promise.all([refetch(), history.refetch()]);
  const problem = loadingError && <ErrorState error={loadingError} onRetry={retry} />;
  if (!conversation || !newestFirst) return problem ?? <LoadingState lines={5} />;
  const { contact, windowExpiresAt } = conversation;
  return (
    <section
      ref={section}
      className={classes.thread}
      aria-label={text.inbox.conversationWith(contact.name || personText(contact))}
    >
      <div className={classes.bar}>
        <ButtonLink
          to="/a/$accountId/inbox"
          params={{ accountId: channelRef.accountId }}
          search={(last) => last}
          variant="subtle"
          size="compact-sm"
          hiddenFrom="sm"
          aria-label={text.inbox.back}
        >
          <Icon name="chevron-left" />
        </ButtonLink>
        <div className={classes.name}>
          <Title order={2} size="h4">
            <TextLink
              to="/a/$accountId/contacts"
              params={{ accountId: channelRef.accountId }}
              search={{ channel: channelRef.channelId, contact: contact.id }}
              inherit
              c="inherit"
              title={text.inbox.toContact}
            >
              {contact.name || <ShortNumber person={contact} />}
            </TextLink>
          </Title>
          {contact.name !== '' && (
            <Text size="sm" c="dimmed">
              {personText(contact)}
            </Text>
          )}
        </div>
        {contact.optedOut ? (
          <Badge variant="light" color="yellow" radius="sm" tt="none">
            {text.inbox.isOptedOut}
          </Badge>
        ) : (
          <WindowLeft expiresAt={windowExpiresAt} />
        )}
      </div>
      {/* The error is shown above the thread, and does not replace it, so that the draft and its idempotency key are kept. */}
      {problem}
      <History
        channelRef={channelRef}
        end={scrollEnd}
        messages={newestFirst.toReversed()}
        older={history.hasNextPage ? () => void history.fetchNextPage() : null}
        isLoadingOlder={history.isFetchingNextPage}
      />
      <Announced newest={newestFirst[0]} />
      {mayWrite && (
        <Composer channelRef={channelRef} channel={channel} conversation={conversation} onSend={scrollEnd.follow} />
      )}
    </section>
  );
}

/** Focuses the reply field, or the messages on devices whose on-screen keyboard would cover half of the page. */
function useFocusWhenOpened(isLoaded: boolean) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isLoaded || section.current?.contains(document.activeElement)) return;
    // If a dialog opened this conversation, the dialog moves the focus when it closes.
    if (document.querySelector('[role="dialog"]')) return;
    const field = window.matchMedia('(pointer: fine)').matches && section.current?.querySelector('textarea');
    const target = field || section.current?.querySelector<HTMLElement>('[tabindex="0"]');
    target?.focus({ preventScroll: true });
  }, [isLoaded]);
  return section;
}

interface HistoryProps {
  channelRef: ChannelRef;
  end: ReturnType<typeof useScrollEnd>;
  /** Messages from the oldest to the newest. */
  messages: readonly Message[];
  older: (() => void) | null;
  isLoadingOlder: boolean;
}

function History({ channelRef, end, messages, older, isLoadingOlder }: HistoryProps) {
  const isKnown = messages.some(({ direction }) => direction === 'outbound');
  const entries = withReactions(messages);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    <ul ref={end.list} className={classes.history} tabIndex={0} aria-label={text.inbox.history} onScroll={end.onScroll}>
      {older && (
        <li className={classes.day}>
          <Button variant="subtle" size="compact-xs" loading={isLoadingOlder} onClick={older}>
            {text.inbox.older}
          </Button>
        </li>
      )}
      {entries.map(({ message, reactions }, index) => {
        const day = formatTime(message.createdAt, 'date');
        const previous = entries[index - 1]?.message;
        const isNewDay = !previous || formatTime(previous.createdAt, 'date') !== day;
        return (
          <Fragment key={message.id}>
            {isNewDay && <li className={classes.day}>{day}</li>}
            <Bubble channelRef={channelRef} message={message} isKnown={isKnown} reactions={reactions} />
          </Fragment>
        );
      })}
    </ul>
  );
}

/**
 * Announces only new messages, because the list as a live region would also announce older messages and every status change.
 */
function Announced({ newest }: { newest: Message | undefined }) {
  const [initialId] = useState(newest?.id);
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const isNew = newest !== undefined && newest.id !== initialId && newest.direction === 'inbound';
  return (
    <div className="visually-hidden" aria-live="polite" data-announced>
      {isNew && `${text.inbox.fromContact}: ${newest.text || (types[newest.type] ?? newest.type)}`}
    </div>
  );
}

/** Messages that arrive in a hidden tab stay unread until the tab is shown. */
function useMarkRead(channelRef: ChannelRef, conversation: OpenConversation | undefined, newest: Message | undefined) {
  const client = useQueryClient();
  const { id, unreadCount = 0 } = conversation ?? {};
  const upTo = newest?.id;
  const { accountId, channelId } = channelRef;
  const isTabVisible = useIsVisible();
  useEffect(() => {
    if (!id || !upTo || unreadCount === 0 || !isTabVisible) return;
    markRead({ accountId, channelId }, id, upTo).then(
      () => client.invalidateQueries({ queryKey: ['conversations', accountId] }),
      // After an error the messages stay unread, and the next update tries again to mark them as read.
      () => undefined,
    );
  }, [accountId, channelId, client, id, isTabVisible, unreadCount, upTo]);
}

/** Refetches the history when the conversation's last message is missing from it. */
function useFollowNewMessages(last: string | undefined, newest: string | undefined, refetch: () => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new last message triggers it.
  useEffect(() => {
    if (last !== undefined && newest !== undefined && last !== newest) refetch();
  }, [last]);
}
