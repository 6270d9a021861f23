import { Badge, Button, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Channel } from '../../api/account/account.js';
import {
  type ChannelPlace,
  conversationQuery,
  historyQuery,
  type Message,
  markRead,
  type OpenConversation,
} from '../../api/inbox.js';
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
import { useEnd } from './use-end.js';
import { WindowLeft } from './window-left.js';

interface ThreadProps {
  place: ChannelPlace;
  channel: Channel;
  conversationId: string;
}

/** A conversation: who, what was said, and the answer. */
export function Thread({ place, channel, conversationId }: ThreadProps) {
  const mayWrite = useCan('developer');
  const { data: conversation, error, refetch } = useQuery(conversationQuery(place, conversationId));
  const history = useInfiniteQuery(historyQuery(place, conversationId));
  const newestFirst = history.data?.pages.flatMap(({ data }) => data);
  const section = useFocusWhenOpened(conversation !== undefined && newestFirst !== undefined);
  useMarkRead(place, conversation, mayWrite ? newestFirst?.[0] : undefined);
  // The list is there once both are.
  const end = useEnd(conversation && newestFirst?.[0]?.id);
  useFollowed(conversation?.lastMessage?.id, newestFirst?.[0]?.id, () => void history.refetch());
  const broken = error ?? history.error;
  const retry = () => void Promise.all([refetch(), history.refetch()]);
  const problem = broken && <ErrorState error={broken} onRetry={retry} />;
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
          params={{ accountId: place.accountId }}
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
              params={{ accountId: place.accountId }}
              search={{ channel: place.channelId, contact: contact.id }}
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
      {/* Above what was read before: the answer that is being written stays, and the key under which it is sent again. */}
      {problem}
      <History
        place={place}
        end={end}
        messages={newestFirst.toReversed()}
        older={history.hasNextPage ? () => void history.fetchNextPage() : null}
        isLoadingOlder={history.isFetchingNextPage}
      />
      <Announced newest={newestFirst[0]} />
      {mayWrite && <Composer place={place} channel={channel} conversation={conversation} onSend={end.follow} />}
    </section>
  );
}

/**
 * Gives the focus to the conversation once it is there: to the answer, or where none can be written, or a keyboard would
 * cover half the screen, to its messages.
 */
function useFocusWhenOpened(isThere: boolean) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isThere || section.current?.contains(document.activeElement)) return;
    // A dialog that has just led here gives its focus back by itself.
    if (document.querySelector('[role="dialog"]')) return;
    const field = window.matchMedia('(pointer: fine)').matches && section.current?.querySelector('textarea');
    const target = field || section.current?.querySelector<HTMLElement>('[tabindex="0"]');
    target?.focus({ preventScroll: true });
  }, [isThere]);
  return section;
}

interface HistoryProps {
  place: ChannelPlace;
  end: ReturnType<typeof useEnd>;
  /** The oldest first. */
  messages: readonly Message[];
  older: (() => void) | null;
  isLoadingOlder: boolean;
}

function History({ place, end, messages, older, isLoadingOlder }: HistoryProps) {
  // Whom somebody has written to from here is no stranger any more.
  const isKnown = messages.some(({ direction }) => direction === 'outbound');
  const shown = withReactions(messages);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <ul ref={end.list} className={classes.history} tabIndex={0} aria-label={text.inbox.history} onScroll={end.onScroll}>
      {older && (
        <li className={classes.day}>
          <Button variant="subtle" size="compact-xs" loading={isLoadingOlder} onClick={older}>
            {text.inbox.older}
          </Button>
        </li>
      )}
      {shown.map(({ message, reactions }, index) => {
        const day = formatTime(message.createdAt, 'date');
        const before = shown[index - 1]?.message;
        const isNewDay = !before || formatTime(before.createdAt, 'date') !== day;
        return (
          <Fragment key={message.id}>
            {isNewDay && <li className={classes.day}>{day}</li>}
            <Bubble place={place} message={message} isKnown={isKnown} reactions={reactions} />
          </Fragment>
        );
      })}
    </ul>
  );
}

/**
 * Tells who cannot see it of what the contact writes while the conversation is open. The list itself tells nothing: older messages
 * that are asked for, and each status on the way, would be read aloud as well.
 */
function Announced({ newest }: { newest: Message | undefined }) {
  const [before] = useState(newest?.id);
  const types: Readonly<Record<string, string>> = text.inbox.types;
  const isNew = newest !== undefined && newest.id !== before && newest.direction === 'inbound';
  return (
    <div className="visually-hidden" aria-live="polite" data-announced>
      {isNew && `${text.inbox.fromContact}: ${newest.text || (types[newest.type] ?? newest.type)}`}
    </div>
  );
}

/** What is on the screen is read: what came in meanwhile stays unread until it is there too. */
function useMarkRead(place: ChannelPlace, conversation: OpenConversation | undefined, newest: Message | undefined) {
  const client = useQueryClient();
  const { id, unreadCount = 0 } = conversation ?? {};
  const upTo = newest?.id;
  const { accountId, channelId } = place;
  // What came while the tab was hidden is read once somebody comes back to it.
  const isSeen = useIsVisible();
  useEffect(() => {
    if (!id || !upTo || unreadCount === 0 || !isSeen) return;
    markRead({ accountId, channelId }, id, upTo).then(
      () => client.invalidateQueries({ queryKey: ['conversations', accountId] }),
      // It stays unread, and the next look tries again.
      () => undefined,
    );
  }, [accountId, channelId, client, id, isSeen, unreadCount, upTo]);
}

/** Asks for the history again where the conversation tells of a message that is not in it. */
function useFollowed(last: string | undefined, newest: string | undefined, refetch: () => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last message alone is the reason.
  useEffect(() => {
    if (last !== undefined && newest !== undefined && last !== newest) refetch();
  }, [last]);
}
