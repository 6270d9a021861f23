import type { ReactNode } from 'react';
import type { Place } from '../api/people.js';
import { text } from '../text/en.js';
import { EmptyState } from '../ui/empty-state.js';
import { LoadingState } from '../ui/loading-state.js';
import { useAccountId, useChannel } from './session.js';

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
  return <EmptyState icon="tower" title={text.noChannel.title} hint={text.noChannel.hint} />;
}
