import type { ChannelMessage, InboundMessage, InboundSms } from '../../carriers/inbound-message.js';
import { receiveInbound } from './receive.js';
import { type ReceiveSmsOptions, receiveSms } from './receive-sms.js';

/** Contacts whose messages are stored at the same time. */
const SENDERS_AT_ONCE = 4;

/**
 * Stores what somebody wrote to numbers of ours, each message once. One that was stored before changes nothing, so the
 * whole of a batch that failed may be handed over again.
 */
export async function receiveMessages(options: ReceiveSmsOptions, messages: readonly InboundMessage[]): Promise<void> {
  const sms: InboundSms[] = [];
  const inChannels: ChannelMessage[] = [];
  for (const message of messages) {
    if ('channel' in message) inChannels.push(message);
    else sms.push(message);
  }
  if (sms.length > 0) await receiveSms(options, sms);
  if (inChannels.length > 0) await receiveInChannels(options, inChannels);
}

/** Contacts at once, but the messages of one in the order in which they came. */
async function receiveInChannels(options: ReceiveSmsOptions, messages: readonly ChannelMessage[]): Promise<void> {
  const bySender = new Map<string, ChannelMessage[]>();
  for (const message of messages) {
    const key = `${message.channel.id} ${message.from ?? message.userId ?? message.parentUserId}`;
    const known = bySender.get(key);
    if (known) known.push(message);
    else bySender.set(key, [message]);
  }
  const senders = bySender.values();
  const work = async () => {
    for (const ofOne of senders) {
      for (const { channel, ...report } of ofOne) await receiveInbound(options, channel, report);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: SENDERS_AT_ONCE }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
