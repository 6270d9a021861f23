import type pg from 'pg';
import type { Logger } from 'pino';
import type { CallbackSinks } from '../../carriers/callbacks/callback-sinks.js';
import { type CarrierSinks, HEALTHY } from '../../carriers/carrier.js';
import { forgetAcknowledged } from '../../carriers/inbound/unacknowledged-store.js';
import { updateChannelStatus } from '../../carriers/registry/channel-status-store.js';
import { findCarrierChannels, pauseChannel, setChannelHealth } from '../../carriers/registry/channel-store.js';
import { hasApprovedTemplate } from '../../carriers/registry/template-store.js';
import { recordSameNumber } from '../../features/contacts/identity/record-number.js';
import { recordPeople } from '../../features/contacts/identity/record-people.js';
import { recordPreference } from '../../features/contacts/identity/record-preference.js';
import { applyEchoCorrection, storeEchoes } from '../../features/conversations/echoes.js';
import { isReplyWindowOpen } from '../../features/conversations/parties.js';
import { correctReceivedMessage } from '../../features/inbound/correct.js';
import { receiveMessages } from '../../features/inbound/receive-messages.js';
import { recordAction } from '../../features/inbound/record-action.js';
import { applyTemplateDecision } from '../../features/templates/decision-store.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import { isMaybeAccepted } from '../../messages/send/maybe-accepted-store.js';
import { wakeChannelMessages } from '../../messages/send/wake-store.js';
import type { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import { findRecipients } from '../../messages/status/receipt-store.js';
import type { Clock } from '../../platform/clock.js';
import type { FaultPoints } from '../../platform/faults.js';
import { newId } from '../../platform/ids.js';
import { ALL, type LiveFeed } from '../../platform/live/live-feed.js';
import { CARRIER_TOPICS, CORRECTION_TOPICS, INBOUND_TOPICS, MESSAGE_TOPICS, TEMPLATE_TOPICS } from '../live-topics.js';
import type { ProcessMedia } from './open-media.js';

export interface CallbackSinkOptions {
  /** Receipts do not use this pool, because they have their own connections. */
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  receipts: Pick<ReceiptDesk, 'receive'>;
  live: Pick<LiveFeed, 'markStale'>;
  fetchesMedia: boolean;
  /** Null in a process that cannot send replies to STOP, START and HELP. */
  acceptor: Pick<Acceptor, 'acceptWithin'> | null;
  faults?: FaultPoints;
}

export interface CarrierSinkOptions extends Omit<CallbackSinkOptions, 'fetchesMedia'> {
  media: Pick<ProcessMedia, 'source' | 'fetchesMedia'>;
}

export function carrierSinks({ media, ...options }: CarrierSinkOptions): CarrierSinks {
  return {
    ...callbackSinks({ ...options, fetchesMedia: media.fetchesMedia }),
    linkNumbers: async (channelId, numbers) => {
      if (await recordSameNumber(options, channelId, numbers)) options.live.markStale(ALL, INBOUND_TOPICS);
    },
    isReplyWindowOpen: (channelId, address) => isReplyWindowOpen(options, channelId, address),
    isMaybeAccepted: (messageId) => isMaybeAccepted(options.pool, messageId),
    media: media.source,
  };
}

export function callbackSinks(options: CallbackSinkOptions): CallbackSinks {
  const { pool, receipts } = options;
  // Identifies this run: carriers redeliver messages that another run did not acknowledge, and this run takes over their
  // records.
  const processId = newId();
  return {
    receipts: (batch) => receipts.receive(batch),
    inbound: async (messages) => {
      await receiveMessages({ ...options, processId }, messages);
      // The pages of all accounts are reloaded, because the account of an inbound SMS is not known here.
      options.live.markStale(ALL, INBOUND_TOPICS);
    },
    people: async (reports) => {
      await recordPeople(options, reports);
      options.live.markStale(ALL, INBOUND_TOPICS);
    },
    acknowledged: (ids) => forgetAcknowledged(pool, processId, ids),
    health: async (channelId, status) => {
      const hasChanged = await setChannelHealth(pool, channelId, status);
      if (hasChanged) options.live.markStale(ALL, CARRIER_TOPICS);
      if (hasChanged && status === HEALTHY) await wakeChannelMessages(pool, channelId);
    },
    pause: async (channelId, pause) => {
      if (!(await pauseChannel(pool, channelId, pause))) return;
      options.live.markStale(ALL, CARRIER_TOPICS);
      const { health, code, reason } = pause;
      options.log.error(
        { channelId, health, code, reason },
        'a channel was paused; its messages wait until an operator resumes it',
      );
    },
    echoes: async (messages) => {
      const unmatchedEchoes = await storeEchoes(options, messages);
      for (const { channel } of messages) options.live.markStale(channel.accountId, MESSAGE_TOPICS);
      return unmatchedEchoes;
    },
    correction: async (report) => {
      const isApplied = await (report.isOwn
        ? applyEchoCorrection(options, report)
        : correctReceivedMessage(pool, report));
      if (isApplied) options.live.markStale(report.channel.accountId, CORRECTION_TOPICS);
      return isApplied;
    },
    action: async (report) => {
      const isKnown = await recordAction(options, report);
      if (isKnown) options.live.markStale(report.channel.accountId, INBOUND_TOPICS);
      return isKnown;
    },
    preference: async (report) => {
      await recordPreference(options, report);
      options.live.markStale(report.channel.accountId, INBOUND_TOPICS);
    },
    channelStatus: async (channelId, news) => {
      if (await updateChannelStatus(pool, channelId, news)) options.live.markStale(ALL, CARRIER_TOPICS);
    },
    template: async (channelIds, news) => {
      const isApplied = await applyTemplateDecision(pool, channelIds, news);
      if (isApplied) options.live.markStale(ALL, TEMPLATE_TOPICS);
      return isApplied;
    },
    channels: (carrier) => findCarrierChannels(pool, carrier),
    findRecipients: (carrier, carrierMessageId) => findRecipients(pool, { carrier, carrierMessageId }),
    hasTemplate: (channelId, name, language) => hasApprovedTemplate(pool, channelId, name, language),
  };
}
