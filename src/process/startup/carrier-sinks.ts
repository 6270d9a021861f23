import type pg from 'pg';
import type { Logger } from 'pino';
import type { CallbackSinks } from '../../carriers/callbacks/callback-sinks.js';
import { type CarrierSinks, HEALTHY } from '../../carriers/carrier.js';
import { forgetAnswered } from '../../carriers/inbound/unanswered-store.js';
import { findChannelsOf, pauseChannel, setChannelHealth } from '../../carriers/registry/channel-store.js';
import { noteStanding } from '../../carriers/registry/standing-store.js';
import { hasApprovedTemplate } from '../../carriers/registry/template-store.js';
import { noteSameNumber } from '../../features/contacts/identity/note-number.js';
import { notePeople } from '../../features/contacts/identity/note-people.js';
import { notePreference } from '../../features/contacts/identity/note-preference.js';
import { applyEchoCorrection, storeEchoes } from '../../features/conversations/echoes.js';
import { isReplyWindowOpen } from '../../features/conversations/parties.js';
import { correctReceived } from '../../features/inbound/correct.js';
import { receiveMessages } from '../../features/inbound/receive-messages.js';
import { recordAction } from '../../features/inbound/record-action.js';
import { applyTemplateDecision } from '../../features/templates/decision-store.js';
import { isMaybeAccepted } from '../../messages/send/maybe-accepted-store.js';
import { wakeChannelMessages } from '../../messages/send/wake-store.js';
import type { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import { findRecipients } from '../../messages/status/receipt-store.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { ALL, type LiveFeed } from '../../platform/live/live-feed.js';
import { OF_CARRIERS, OF_CORRECTIONS, OF_INBOUND, OF_MESSAGES, OF_TEMPLATES } from '../live-topics.js';
import type { ProcessMedia } from './open-media.js';

export interface CallbackSinkOptions {
  /** What comes in is stored with it; receipts have connections of their own. */
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  receipts: Pick<ReceiptDesk, 'receive'>;
  live: Pick<LiveFeed, 'touch'>;
  /** Files that contacts send are fetched without being asked for. */
  fetchesMedia: boolean;
}

export interface CarrierSinkOptions extends Omit<CallbackSinkOptions, 'fetchesMedia'> {
  media: Pick<ProcessMedia, 'source' | 'fetchesMedia'>;
}

/** Where the carriers of a process that works hand over what comes to them, and have the files that they send. */
export function carrierSinks({ media, ...options }: CarrierSinkOptions): CarrierSinks {
  return {
    ...callbackSinks({ ...options, fetchesMedia: media.fetchesMedia }),
    sameNumber: async (channelId, numbers) => {
      if (await noteSameNumber(options, channelId, numbers)) options.live.touch(ALL, OF_INBOUND);
    },
    isReplyWindowOpen: (channelId, address) => isReplyWindowOpen(options, channelId, address),
    perhapsTaken: (messageId) => isMaybeAccepted(options.pool, messageId),
    media: media.source,
  };
}

/** Where what callbacks tell is handed over. */
export function callbackSinks(options: CallbackSinkOptions): CallbackSinks {
  const { pool, receipts } = options;
  // Of this run: what another has not answered comes again.
  const processId = newId();
  return {
    receipts: (batch) => receipts.receive(batch),
    inbound: async (messages) => {
      await receiveMessages({ ...options, processId }, messages);
      // An SMS does not say whose it is, and few come compared with what is sent.
      options.live.touch(ALL, OF_INBOUND);
    },
    people: async (reports) => {
      await notePeople(options, reports);
      options.live.touch(ALL, OF_INBOUND);
    },
    answered: (ids) => forgetAnswered(pool, processId, ids),
    health: async (channelId, status) => {
      const changed = await setChannelHealth(pool, channelId, status);
      if (changed) options.live.touch(ALL, OF_CARRIERS);
      if (changed && status === HEALTHY) await wakeChannelMessages(pool, channelId);
    },
    pause: async (channelId, pause) => {
      if (!(await pauseChannel(pool, channelId, pause))) return;
      options.live.touch(ALL, OF_CARRIERS);
      const { health, code, reason } = pause;
      options.log.error(
        { channelId, health, code, reason },
        'a channel was paused; its messages wait until it is resumed',
      );
    },
    echoes: async (messages) => {
      const strays = await storeEchoes(options, messages);
      for (const { channel } of messages) options.live.touch(channel.accountId, OF_MESSAGES);
      return strays;
    },
    correction: async (report) => {
      const isHere = await (report.isOwn ? applyEchoCorrection(options, report) : correctReceived(pool, report));
      if (isHere) options.live.touch(report.channel.accountId, OF_CORRECTIONS);
      return isHere;
    },
    action: async (report) => {
      const isKnown = await recordAction(options, report);
      if (isKnown) options.live.touch(report.channel.accountId, OF_INBOUND);
      return isKnown;
    },
    preference: async (report) => {
      await notePreference(options, report);
      options.live.touch(report.channel.accountId, OF_INBOUND);
    },
    standing: async (channelId, news) => {
      if (await noteStanding(pool, channelId, news)) options.live.touch(ALL, OF_CARRIERS);
    },
    template: async (channelIds, news) => {
      const isHeld = await applyTemplateDecision(pool, channelIds, news);
      if (isHeld) options.live.touch(ALL, OF_TEMPLATES);
      return isHeld;
    },
    channels: (carrier) => findChannelsOf(pool, carrier),
    recipientsOf: (carrier, carrierMessageId) => findRecipients(pool, { carrier, carrierMessageId }),
    hasTemplate: (channelId, name, language) => hasApprovedTemplate(pool, channelId, name, language),
  };
}
