import type { Acceptor } from '../../messages/accept/acceptor.js';
import { BackgroundWork, type KeyedWorkOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { worthRepeating } from '../../platform/store/failures.js';
import { type ComposeForEach, commitToContacts } from '../conversations/sending/commit-to-contacts.js';
import { type ComposedMessage, findSendable } from '../conversations/sending/compose.js';
import {
  advance,
  completeCampaign,
  countUnsent,
  failCampaign,
  groupExists,
  hasUnsent,
  lookLater,
  nextMembers,
  type RunningCampaign,
  takeTurn,
  WALK_OVER,
} from './campaign-store.js';
import { pauseAtLimit } from './pause-store.js';
import { findStragglers, noteMoved, takeStragglers } from './straggler-store.js';
import { composeForMembers, composeForReached, isPersonal } from './values.js';

/** Below everything that a caller waits for. */
const CAMPAIGN_PRIORITY = 0;
/** Members whose messages one transaction commits, under the lock of the account, which others send from. */
export const BATCH_MEMBERS = 200;
/**
 * Messages that a campaign may have committed ahead of the carrier: at most so many are there to be canceled. It must hold
 * several batches.
 */
export const BACKLOG_MESSAGES = 800;
/** Milliseconds between looks. */
const PAUSE_MS = {
  /** After a turn others have the store for as long as it took, within these bounds: a busy machine slows campaigns first. */
  shortest: 10,
  longest: 1_000,
  /** When no campaign was due. */
  idle: 200,
  /** While the carrier is behind. */
  backlog: 100,
  /** After a deadlock. */
  repeat: 250,
  /** While the last messages are on their way; and while some of them wait for a retry, which may take hours. */
  lastMessages: 200,
  retries: 5_000,
} as const;

export interface CampaignRunnerOptions extends KeyedWorkOptions {
  prisma: PrismaClient;
  clock: Clock;
  faults: FaultPoints;
  acceptor: Acceptor;
}

/**
 * Walks campaigns through the members of their groups. Messages, debit and the campaign's cursor are committed
 * together, so whatever dies, each member has one message. Campaigns take turns of one batch. Any number of processes
 * may run one.
 */
export class CampaignRunner extends BackgroundWork<CampaignRunnerOptions> {
  constructor(options: CampaignRunnerOptions) {
    super(options, {
      everyMs: PAUSE_MS.idle,
      failure: 'a campaign could not go on; it is tried again in some seconds',
    });
  }

  protected override async look(): Promise<number> {
    const begun = performance.now();
    const worked = await this.#turn();
    const share = Math.min(PAUSE_MS.longest, performance.now() - begun);
    return Math.max(worked ? PAUSE_MS.shortest : PAUSE_MS.idle, share);
  }

  /** One batch of the campaign whose turn it is. Resolves to whether there was one. */
  async #turn(): Promise<boolean> {
    const { pool, clock, faults, log } = this.options;
    const campaign = await takeTurn(pool, clock.now());
    if (!campaign) return false;
    await faults.hit('campaign:taken');
    try {
      await this.#work(campaign);
    } catch (error) {
      if (error instanceof AppError && error.code === 'LIMIT_REACHED') {
        log.info({ campaign: campaign.id, code: error.code }, 'a campaign is paused');
        await pauseAtLimit(pool, campaign.id, error.message, clock.now());
      } else if (error instanceof AppError && error.status < 500) {
        log.info({ campaign: campaign.id, code: error.code }, 'a campaign failed');
        await failCampaign(pool, campaign.id, error.message);
      } else if (worthRepeating(error)) {
        await lookLater(pool, campaign.id, PAUSE_MS.repeat);
      } else {
        throw error;
      }
    }
    return true;
  }

  /** @throws {AppError} for a reason that ends the campaign */
  async #work(campaign: RunningCampaign): Promise<void> {
    const { pool } = this.options;
    if (campaign.cursor === WALK_OVER) return this.#finish(campaign);
    const next = await nextMembers(pool, campaign, BATCH_MEMBERS);
    const passed = next.length > 0 ? null : await findStragglers(pool, campaign.id, BATCH_MEMBERS);
    const members = passed?.owed ?? next;
    if (passed && passed.settled.length > 0) await takeStragglers(pool, campaign.id, passed.settled);
    if (members.length === 0) {
      return passed?.settled.length ? lookLater(pool, campaign.id, 0) : this.#endWalk(campaign);
    }
    // The template may have been paused since the last turn.
    const template = await findSendable(this.options, campaign.sender, campaign);
    const message = isPersonal(campaign)
      ? composeForMembers(campaign, template)
      : composeForReached(campaign, template);
    const unsent = await countUnsent(pool, campaign.id, BACKLOG_MESSAGES);
    if (unsent + members.length > BACKLOG_MESSAGES) return lookLater(pool, campaign.id, PAUSE_MS.backlog);
    await this.#commitAffordable(campaign, message, { members, arePassed: passed !== null });
  }

  /** Commits as much of a batch as the account can pay for, and as its limits let it send, down to a single message. */
  async #commitAffordable(
    campaign: RunningCampaign,
    message: ComposedMessage | ComposeForEach,
    { members, arePassed }: Batch,
  ): Promise<void> {
    let limit: AppError | null = null;
    for (let count = members.length; count > 0; count = Math.floor(count / 2)) {
      try {
        return await this.#commit(campaign, message, { members: members.slice(0, count), arePassed });
      } catch (error) {
        if (error instanceof Overtaken) return;
        limit = error instanceof AppError && error.code === 'LIMIT_REACHED' ? error : null;
        if (!(error instanceof Unfunded || limit)) throw error;
      }
    }
    if (limit) throw limit;
    throw new AppError('INSUFFICIENT_BALANCE', 'The balance of the account was too low for the next message.');
  }

  async #commit(
    campaign: RunningCampaign,
    message: ComposedMessage | ComposeForEach,
    { members, arePassed }: Batch,
  ): Promise<void> {
    const { pool, faults, acceptor } = this.options;
    const plan = {
      payers: () => [campaign.sender.account.id],
      faultPoint: 'campaign:committed',
      isBackground: true,
    };
    await acceptor.within(pool, plan, async (transaction) => {
      const committed = await commitToContacts(this.options, transaction, campaign.sender, message, members, {
        priority: CAMPAIGN_PRIORITY,
        campaignId: campaign.id,
      });
      if (!committed) throw new Unfunded();
      const { pending, skipped, refused, contactIds } = committed;
      const messages = pending.reduce((sum, { ids }) => sum + ids.length, 0);
      // Of those whom it goes back for it knows by their rows that nobody else has. Some may have become others just now.
      if (arePassed && (await takeStragglers(transaction.client, campaign.id, members)) < members.length) {
        throw new Overtaken();
      }
      const others = contactIds.filter((id) => !members.includes(id));
      if (others.length > 0) await takeStragglers(transaction.client, campaign.id, others);
      const cursor = laterOf(members.at(-1) as string, campaign.cursor);
      const moved = await advance(transaction.client, campaign, {
        cursor,
        messages,
        skipped,
        refused,
      });
      if (!moved) throw new Overtaken();
      if (!arePassed) {
        await noteMoved(transaction.client, campaign.id, { from: campaign.cursor, to: cursor, batch: members });
      }
      await faults.hit('campaign:before-commit');
    });
  }

  async #endWalk(campaign: RunningCampaign): Promise<void> {
    const { pool } = this.options;
    if (!(await groupExists(pool, campaign.groupId))) {
      throw new AppError('NOT_FOUND', 'The group of the campaign was deleted.');
    }
    await advance(pool, campaign, { cursor: WALK_OVER, messages: 0, skipped: 0, refused: 0 });
  }

  /** Completes a campaign whose every message was taken by a carrier or has ended. */
  async #finish(campaign: RunningCampaign): Promise<void> {
    const { pool, clock } = this.options;
    if ((await countUnsent(pool, campaign.id, BACKLOG_MESSAGES)) > 0) {
      await lookLater(pool, campaign.id, PAUSE_MS.lastMessages);
    } else if (await hasUnsent(pool, campaign.id)) {
      await lookLater(pool, campaign.id, PAUSE_MS.retries);
    } else {
      await completeCampaign(pool, campaign.id, clock.now());
    }
  }
}

/** Members whose messages are to be committed. */
interface Batch {
  members: readonly string[];
  /** They are stragglers: the cursor has passed them. */
  arePassed: boolean;
}

/** Stragglers lie before the cursor, which does not go back for them. */
function laterOf(last: string, cursor: string | null): string {
  return cursor !== null && cursor > last ? cursor : last;
}

/** The account could not pay for a batch. */
class Unfunded extends Error {}

/** Another runner moved the cursor first, or the campaign was canceled. */
class Overtaken extends Error {}
