import type { ReactNode } from 'react';
import type { ChannelRef } from '../api/channel-ref.js';
import { useAccountId, useCan, useChannel } from '../session/session.js';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';

interface ChannelRequiredProps {
  /** Whether to show nothing if the account has no channel, because another part of the page shows the hint. */
  quiet?: boolean;
  children(channelRef: ChannelRef): ReactNode;
}

/** Shows a hint if the account has no channel. */
export function ChannelRequired({ children, quiet = false }: ChannelRequiredProps) {
  const accountId = useAccountId();
  const { channel, channels } = useChannel();
  if (channel) return children({ accountId, channelId: channel.id });
  if (quiet) return null;
  if (!channels) return <LoadingState lines={6} />;
  return <NoChannel />;
}

export function NoChannel() {
  const accountId = useAccountId();
  const mayCreate = useCan('owner', 'installation');
  const create = (
    <ButtonLink to="/a/$accountId/settings" params={{ accountId }} variant="default" size="xs">
      {text.noChannel.create}
    </ButtonLink>
  );
  return (
    <EmptyState icon="tower" title={text.noChannel.title} hint={text.noChannel.hint} action={mayCreate && create} />
  );
}
