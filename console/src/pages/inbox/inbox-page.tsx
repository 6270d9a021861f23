import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useAccountId, useCan, useChannel } from '../../session/session.js';
import { NoChannel } from '../../shared/channel-required.js';
import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { ContactCard } from './contact-card.js';
import { ConversationList } from './conversation-list.js';
import classes from './inbox.module.css';
import { PlayButton } from './play-button.js';
import { Thread } from './thread.js';

export function InboxPage() {
  const accountId = useAccountId();
  const mayWrite = useCan('developer');
  const { channel, channels } = useChannel();
  const { conversationId } = useParams({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  if (!channel) {
    return <Page title={text.inbox.title}>{channels ? <NoChannel /> : <LoadingState />}</Page>;
  }
  const channelRef = { accountId, channelId: channel.id };
  const openConversation = async (id: string | null) => {
    await client.invalidateQueries({ queryKey: ['conversations', accountId] });
    if (id)
      await navigate({
        to: '/a/$accountId/inbox/$conversationId',
        params: { accountId, conversationId: id },
        search: (last) => last,
      });
  };
  const play = mayWrite && channel.carrier === 'simulator' && (
    <PlayButton channelRef={channelRef} onPlayed={openConversation} />
  );
  return (
    <Page title={text.inbox.title} lead={text.inbox.lead(channel.name, `+${channel.phoneNumber}`)} actions={play}>
      <div
        className={classes.inbox}
        data-open={conversationId !== undefined || undefined}
        data-contact={conversationId !== undefined || undefined}
      >
        <ConversationList key={channel.id} channelRef={channelRef} openId={conversationId} />
        {conversationId ? (
          <>
            <Thread
              key={`${channel.id} ${conversationId}`}
              channelRef={channelRef}
              channel={channel}
              conversationId={conversationId}
            />
            <ContactCard channelRef={channelRef} conversationId={conversationId} />
          </>
        ) : (
          <div className={classes.thread}>
            <EmptyState icon="message" title={text.inbox.choose} hint={text.inbox.chooseHint} />
          </div>
        )}
      </div>
    </Page>
  );
}
