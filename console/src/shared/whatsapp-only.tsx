import type { ReactNode } from 'react';
import { useChannel } from '../session/session.js';
import { text } from '../text/en.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { LoadingState } from '../ui/feedback/loading-state.js';
import { Page } from '../ui/layout/page.js';
import { NoChannel } from './channel-required.js';

interface WhatsappOnlyProps {
  title: string;
  sms?: boolean;
  children(channelId: string): ReactNode;
}

/** Shows a hint if no suitable channel is selected. */
export function WhatsappOnly({ title, sms = false, children }: WhatsappOnlyProps) {
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
