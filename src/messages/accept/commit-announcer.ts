import type { LiveFeed } from '../../platform/live/live-feed.js';
import type { Turns } from '../../platform/turns.js';
import type { SendHints } from '../queue/send-hints.js';
import { AcceptTally } from './accept-tally.js';
import { addCommittedHints } from './committed-hints.js';
import type { PendingRequest } from './pending-request.js';

export interface CommitAnnouncerOptions {
  hints: Pick<SendHints, 'add'>;
  turns: Turns;
  live: Pick<LiveFeed, 'markStale'>;
  liveTopics: readonly string[];
}

export class CommitAnnouncer {
  readonly tally = new AcceptTally();
  readonly #options: CommitAnnouncerOptions;

  constructor(options: CommitAnnouncerOptions) {
    this.#options = options;
  }

  announce(committed: readonly PendingRequest[]): void {
    const { live, liveTopics } = this.#options;
    this.tally.countAccepted(committed);
    void addCommittedHints(this.#options, committed);
    for (const { request } of committed) live.markStale(request.account.id, liveTopics);
  }
}
