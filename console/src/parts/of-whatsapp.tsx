import type { ReactNode } from 'react';
import { useChannel } from '../session/session.js';
import { text } from '../text/en.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';
import { Page } from '../ui/layout/page.js';
import { NoChannel } from './for-channel.js';

interface OfWhatsappProps {
  /** Of the page, while there is no channel to show it for. */
  title: string;
  /** Whether a channel that carries SMS will do as well. */
  sms?: boolean;
  children(channelId: string): ReactNode;
}

/** What belongs to a channel that carries WhatsApp messages: says so where there is none, or another is chosen. */
export function OfWhatsapp({ title, sms = false, children }: OfWhatsappProps) {
  const { channel, channels } = useChannel();
  if (channel && (sms || channel.kind === 'whatsapp')) return children(channel.id);
  return (
    <Page title={title}>
      {!channels && <LoadingState lines={4} />}
      {channels && !channel && <NoChannel />}
      {channel && <EmptyState icon="tower" title={text.channels.smsOnly} hint={text.channels.smsOnlyHint} />}
    </Page>
  );
}
