import type pg from 'pg';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { emitCorrected } from '../../messages/events/correction-events.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { removeMessageMedia } from '../media/media-store.js';
import { correctInbound } from './correct-store.js';

/**
 * A contact changed a message, or took it back: the message says what it says now, a file of one that was taken back is deleted,
 * and the webhooks are told.
 * @returns whether the message is here, or was
 */
export async function correctReceived(pool: pg.Pool, report: CorrectionReport): Promise<boolean> {
  return await repeated(() =>
    inTransaction(pool, async (client) => {
      const found = await correctInbound(client, report);
      if (found?.isCorrected) {
        if (report.edit === null) await removeMessageMedia(client, [found.messageId]);
        await emitCorrected(client, report, found);
      }
      return found !== undefined;
    }),
  );
}
