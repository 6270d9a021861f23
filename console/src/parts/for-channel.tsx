import type { ReactNode } from 'react';
import type { Place } from '../api/people.js';
import { useAccountId, useCan, useChannel } from '../session/session.js';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';

interface ForChannelProps {
  /** Shows nothing while there is no channel, for the second such part of a page. */
  quiet?: boolean;
  children(place: Place): ReactNode;
}

/** What belongs to the channel of the address; says so while there is none. */
export function ForChannel({ children, quiet = false }: ForChannelProps) {
  const accountId = useAccountId();
  const { channel, channels } = useChannel();
  if (channel) return children({ accountId, channelId: channel.id });
  if (quiet) return null;
  if (!channels) return <LoadingState lines={6} />;
  return <NoChannel />;
}

/** In place of what belongs to a channel, while the account has none; with the way to one, for those who may make it. */
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
