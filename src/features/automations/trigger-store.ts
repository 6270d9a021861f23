import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';

/** A run that begins if an automation of the channel has the keyword. */
export interface KeywordRun {
  id: string;
  accountId: string;
  channelId: string;
  contactId: string;
  /** As `keywordOf` gives it; case does not matter. */
  keyword: string;
  /** The one variable of the run. */
  variable: { name: string; value: string };
  /** Business time: the run is due at once. */
  now: Date;
}

/** The lock waits for a deletion of the automation, which then is not there, rather than failing with it. */
const START_BY_KEYWORD: Statement = {
  name: 'automations-start-by-keyword',
  text: `
INSERT INTO automation_runs (id, account_id, channel_id, automation_id, contact_id, status, steps, variables, due_at,
  started_at)
SELECT $1, account_id, channel_id, id, $4, 'running', steps, jsonb_build_object($8::text, $6::text), $7, $7
FROM automations WHERE account_id = $2 AND channel_id = $3 AND keyword IS NOT NULL AND lower(keyword) = lower($5)
FOR KEY SHARE`,
};

/** Starts the automation of the channel that has the keyword, if there is one. */
export async function startByKeyword(client: pg.PoolClient, run: KeywordRun): Promise<void> {
  const { id, accountId, channelId, contactId, keyword, variable, now } = run;
  await client.query({
    ...START_BY_KEYWORD,
    values: [id, accountId, channelId, contactId, keyword, variable.value, now.toISOString(), variable.name],
  });
}
