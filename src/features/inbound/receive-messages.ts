import type { ChannelMessage, InboundMessage, InboundSms } from '../../carriers/inbound-message.js';
import { receiveInbound } from './receive.js';
import { type ReceiveSmsOptions, receiveSms } from './receive-sms.js';

const CONCURRENT_SENDERS = 4;

/** Ignores messages that are already stored, so that a failed batch can be repeated as a whole. */
export async function receiveMessages(options: ReceiveSmsOptions, messages: readonly InboundMessage[]): Promise<void> {
  const sms: InboundSms[] = [];
  const channelMessages: ChannelMessage[] = [];
  for (const message of messages) {
    if ('channel' in message) channelMessages.push(message);
    else sms.push(message);
  }
  if (sms.length > 0) await receiveSms(options, sms);
  if (channelMessages.length > 0) await receiveInChannels(options, channelMessages);
}

async function receiveInChannels(options: ReceiveSmsOptions, messages: readonly ChannelMessage[]): Promise<void> {
  const bySender = new Map<string, ChannelMessage[]>();
  for (const message of messages) {
    const key = `${message.channel.id} ${message.from ?? message.userId ?? message.parentUserId}`;
    const earlier = bySender.get(key);
    if (earlier) earlier.push(message);
    else bySender.set(key, [message]);
  }
  const senders = bySender.values();
  const work = async () => {
    for (const senderMessages of senders) {
      for (const { channel, ...report } of senderMessages) await receiveInbound(options, channel, report);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: CONCURRENT_SENDERS }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
