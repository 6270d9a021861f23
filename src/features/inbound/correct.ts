import type pg from 'pg';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { emitCorrectionEvent } from '../../messages/events/correction-events.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { removeMessageMedia } from '../media/media-store.js';
import { correctInbound } from './correct-store.js';

/** Returns whether the message is stored, even if it was emptied. */
export async function correctReceivedMessage(pool: pg.Pool, report: CorrectionReport): Promise<boolean> {
  return await retryTransaction(() =>
    inTransaction(pool, async (client) => {
      const message = await correctInbound(client, report);
      if (message?.isCorrected) {
        if (report.edit === null) await removeMessageMedia(client, [message.messageId]);
        await emitCorrectionEvent(client, report, message);
      }
      return message !== undefined;
    }),
  );
}
