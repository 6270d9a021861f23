import type { ReactNode } from 'react';
import { useChannel } from '../session/session.js';
import { text } from '../text/en.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';
import { Page } from '../ui/layout/page.js';
import { NoChannel } from './for-channel.js';

interface OfWhatsappProps {
  /** Title of the page if there is no suitable channel. */
  title: string;
  /** Also accepts SMS channels. */
  sms?: boolean;
  children(channelId: string): ReactNode;
}

/** Renders its children for the selected WhatsApp channel, or a hint if there is none or an SMS channel is selected. */
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
