import type { Acceptor } from '../../messages/accept/acceptor.js';
import { type BackgroundStoreOptions, BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { isRetryable } from '../../platform/store/failures.js';
import { type ComposeForEach, commitToContacts } from '../conversations/sending/commit-to-contacts.js';
import type { ComposedMessage } from '../conversations/sending/compose.js';
import { createShortener } from '../links/shortening/base.js';
import {
  advanceCursor,
  completeCampaign,
  countUnsent,
  END_CURSOR,
  endTurn,
  failCampaign,
  findNextMembers,
  groupExists,
  hasUnsent,
  type RunningCampaign,
  takeTurn,
} from './campaign-store.js';
import { prepareMessage, toCommitMessage } from './message/member-message.js';
import { pauseAtLimit } from './pause-store.js';
import { gatherNext } from './recipients/gather.js';
import { deleteStragglers, findStragglers, recordMovedMembers } from './straggler-store.js';
import { prepareVariants } from './variants/compose.js';
import { chooseWinner, type VariantTest } from './variants/variants.js';
import { countEvents, setTestEnd, setWinner } from './variants/winner-store.js';

/** Campaigns have the lowest priority, because callers wait for the results of other requests. */
const CAMPAIGN_PRIORITY = 0;
/** Each batch locks the account, so a larger batch would delay the account's other sends. */
export const BATCH_MEMBERS = 200;
/** Limits how many messages a cancellation has to refund, and must be several times the batch size. */
export const BACKLOG_MESSAGES = 800;
const DELAY_MS = {
  /**
   * Each pause is as long as the previous turn, within these limits, so that a busy machine slows down campaigns first.
   */
  shortest: 10,
  longest: 1_000,
  idle: 200,
  /** Delay while the carrier has a backlog. */
  backlog: 100,
  /** After a deadlock. */
  repeat: 250,
  /** Delays while the last messages are being sent, and while they wait for a retry. */
  lastMessages: 200,
  retries: 5_000,
  /** While the results of a test are awaited. */
  test: 2_000,
} as const;

export interface CampaignRunnerOptions extends BackgroundStoreOptions {
  prisma: PrismaClient;
  clock: Clock;
  faults: FaultPoints;
  acceptor: Acceptor;
  smsMaxChars: number;
  /** The setting PUBLIC_URL, with which short links begin. */
  publicUrl: string;
}

/**
 * Messages, debits and the campaign's cursor commit together, so that each member gets one message even after a crash.
 */
export class CampaignRunner extends BackgroundWork<CampaignRunnerOptions> {
  constructor(options: CampaignRunnerOptions) {
    super(options, {
      everyMs: DELAY_MS.idle,
      failure: 'a campaign could not continue; it will be retried in a few seconds',
    });
  }

  protected override async poll(): Promise<number> {
    const startedAt = performance.now();
    const hasWorked = await this.#takeTurn();
    const pauseMs = Math.min(DELAY_MS.longest, performance.now() - startedAt);
    return Math.max(hasWorked ? DELAY_MS.shortest : DELAY_MS.idle, pauseMs);
  }

  async #takeTurn(): Promise<boolean> {
    const { pool, clock, faults, log } = this.options;
    const campaign = await takeTurn(pool, clock.now());
    if (!campaign) return false;
    await faults.hit('campaign:taken');
    try {
      await this.#processBatch(campaign);
    } catch (error) {
      if (error instanceof AppError && error.code === 'LIMIT_REACHED') {
        log.info(
          { campaign: campaign.id, code: error.code },
          'a campaign was paused because a spending limit was reached',
        );
        await pauseAtLimit(pool, campaign.id, error.message, clock.now());
      } else if (error instanceof AppError && error.status < 500) {
        log.info({ campaign: campaign.id, code: error.code }, 'a campaign failed');
        await failCampaign(pool, campaign.id, error.message);
      } else if (isRetryable(error)) {
        await endTurn(pool, campaign.id, DELAY_MS.repeat);
      } else {
        throw error;
      }
    }
    return true;
  }

  async #processBatch(campaign: RunningCampaign): Promise<void> {
    const { pool } = this.options;
    if (campaign.gathering !== null) {
      const scope = { accountId: campaign.sender.account.id, channelId: campaign.sender.channel.id };
      return gatherNext(this.options, scope, campaign, campaign.startedAt);
    }
    if (campaign.cursor === END_CURSOR) return this.#finish(campaign);
    const nextMemberIds = await findNextMembers(pool, campaign, BATCH_MEMBERS);
    if (nextMemberIds.length === 0 && campaign.test) return this.#finishTest(campaign, campaign.test);
    const stragglers = nextMemberIds.length > 0 ? null : await findStragglers(pool, campaign, BATCH_MEMBERS);
    const members = stragglers?.owed ?? nextMemberIds;
    if (stragglers && stragglers.settled.length > 0) await deleteStragglers(pool, campaign.id, stragglers.settled);
    if (members.length === 0) {
      return stragglers?.settled.length ? endTurn(pool, campaign.id, 0) : this.#finishMembers(campaign);
    }
    const message = await this.#compose(campaign);
    const unsent = await countUnsent(pool, campaign.id, BACKLOG_MESSAGES);
    if (unsent + members.length > BACKLOG_MESSAGES) return endTurn(pool, campaign.id, DELAY_MS.backlog);
    await this.#commitAffordable(campaign, message, { members, areStragglers: stragglers !== null });
  }

  async #compose(campaign: RunningCampaign): Promise<ComposedMessage | ComposeForEach> {
    const { sender, content, variables, variants } = campaign;
    const { pool, publicUrl } = this.options;
    const shortener = campaign.shortensLinks
      ? await createShortener(pool, { accountId: sender.account.id, publicUrl })
      : null;
    if (variants) return prepareVariants(this.options, campaign, variants, shortener);
    return toCommitMessage(await prepareMessage(this.options, sender, content, variables, shortener), campaign);
  }

  /** Halves the batch until the account's balance and limits allow the send. */
  async #commitAffordable(
    campaign: RunningCampaign,
    message: ComposedMessage | ComposeForEach,
    { members, areStragglers }: Batch,
  ): Promise<void> {
    let limit: AppError | null = null;
    for (let count = members.length; count > 0; count = Math.floor(count / 2)) {
      try {
        return await this.#commit(campaign, message, { members: members.slice(0, count), areStragglers });
      } catch (error) {
        if (error instanceof CampaignOvertaken) return;
        limit = error instanceof AppError && error.code === 'LIMIT_REACHED' ? error : null;
        if (!(error instanceof InsufficientBalance || limit)) throw error;
      }
    }
    if (limit) throw limit;
    throw new AppError('INSUFFICIENT_BALANCE', 'The balance of the account was too low for the next message.');
  }

  async #commit(
    campaign: RunningCampaign,
    message: ComposedMessage | ComposeForEach,
    { members, areStragglers }: Batch,
  ): Promise<void> {
    const { pool, faults, acceptor } = this.options;
    const plan = {
      listPayers: () => [campaign.sender.account.id],
      faultPoint: 'campaign:committed',
      isBackground: true,
    };
    await acceptor.acceptWithin(pool, plan, async (transaction) => {
      const committed = await commitToContacts(this.options, transaction, campaign.sender, message, members, {
        priority: CAMPAIGN_PRIORITY,
        campaignId: campaign.id,
        purpose: 'marketing',
      });
      if (!committed) throw new InsufficientBalance();
      const { pending, skipped, refused, capped, contactIds } = committed;
      const messages = pending.reduce((sum, { ids }) => sum + ids.length, 0);
      // Deleting a straggler's row claims the straggler. If a row is missing, another runner or a merge has already
      // deleted it.
      if (areStragglers && (await deleteStragglers(transaction.client, campaign.id, members)) < members.length) {
        throw new CampaignOvertaken();
      }
      const mergedInto = contactIds.filter((id) => !members.includes(id));
      if (mergedInto.length > 0) await deleteStragglers(transaction.client, campaign.id, mergedInto);
      const cursor = maxCursor(members.at(-1) as string, campaign.cursor);
      const hasAdvanced = await advanceCursor(transaction.client, campaign, {
        cursor,
        messages,
        skipped,
        refused,
        capped,
      });
      if (!hasAdvanced) throw new CampaignOvertaken();
      // After a test, everyone without a message gets another turn.
      if (!areStragglers && !campaign.test) {
        await recordMovedMembers(transaction.client, campaign, {
          from: campaign.cursor,
          to: cursor,
          batch: members,
        });
      }
      await faults.hit('campaign:before-commit');
    });
  }

  async #finishTest({ id, testEndsAt }: RunningCampaign, { criterion, minutes }: VariantTest): Promise<void> {
    const { pool, clock } = this.options;
    const now = clock.now().getTime();
    if (!testEndsAt) return setTestEnd(pool, id, new Date(now + minutes * 60_000));
    if (now < testEndsAt.getTime()) return endTurn(pool, id, Math.min(DELAY_MS.test, testEndsAt.getTime() - now));
    await setWinner(pool, id, chooseWinner(await countEvents(pool, id, criterion)));
  }

  async #finishMembers(campaign: RunningCampaign): Promise<void> {
    const { pool } = this.options;
    if (campaign.groupId !== null && !(await groupExists(pool, campaign.groupId))) {
      throw new AppError('NOT_FOUND', 'The group of the campaign was deleted.');
    }
    await advanceCursor(pool, campaign, { cursor: END_CURSOR, messages: 0, skipped: 0, refused: 0, capped: 0 });
  }

  async #finish(campaign: RunningCampaign): Promise<void> {
    const { pool, clock } = this.options;
    if ((await countUnsent(pool, campaign.id, BACKLOG_MESSAGES)) > 0) {
      await endTurn(pool, campaign.id, DELAY_MS.lastMessages);
    } else if (await hasUnsent(pool, campaign.id)) {
      await endTurn(pool, campaign.id, DELAY_MS.retries);
    } else {
      await completeCampaign(pool, campaign.id, clock.now());
    }
  }
}

interface Batch {
  members: readonly string[];
  areStragglers: boolean;
}

/** Stragglers have IDs before the cursor, and the cursor must not move back. */
function maxCursor(last: string, cursor: string | null): string {
  return cursor !== null && cursor > last ? cursor : last;
}

class InsufficientBalance extends Error {}

/** Thrown when another runner has moved the cursor, or the campaign was canceled or paused. */
class CampaignOvertaken extends Error {}
