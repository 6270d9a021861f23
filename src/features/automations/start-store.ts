import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { followContactMerges } from '../contacts/identity/survivor-store.js';

export interface NewRun {
  id: string;
  accountId: string;
  channelId: string;
  automationId: string;
  contactId: string;
  variables: Readonly<Record<string, string>>;
  /** Allows several active runs of the automation for the contact. */
  concurrent: boolean;
  /** Business time. */
  now: Date;
}

export const SKIP_IF_RUN_ACTIVE =
  'ON CONFLICT (automation_id, contact_id) WHERE alone AND completed_at IS NULL DO NOTHING';

const INSERT: Statement = {
  name: 'runs-insert',
  text: `
INSERT INTO automation_runs (id, account_id, channel_id, automation_id, contact_id, status, steps, variables, due_at,
  started_at, alone)
SELECT $1, a.account_id, a.channel_id, a.id, c.id, 'running', a.steps, $6, $7, $7, NOT $8
FROM automations a JOIN contacts c ON c.channel_id = a.channel_id AND c.account_id = a.account_id
WHERE a.id = $2 AND a.account_id = $3 AND a.channel_id = $4 AND c.id = $5
  AND ($8 OR NOT EXISTS (SELECT FROM automation_runs r
                         WHERE r.automation_id = a.id AND r.contact_id = c.id AND r.completed_at IS NULL))
FOR KEY SHARE
${SKIP_IF_RUN_ACTIVE}`,
};

/** Returns false if the automation is unknown, or if the contact already has an active run of the automation. */
export async function insertRun(client: pg.PoolClient, run: NewRun): Promise<boolean> {
  const { id, accountId, channelId, automationId, contactId, variables, concurrent, now } = run;
  const variablesJson = JSON.stringify(variables);
  const values = [id, automationId, accountId, channelId, contactId, variablesJson, now.toISOString(), concurrent];
  const { rowCount } = await client.query({ ...INSERT, values });
  return rowCount === 1;
}

const LOCK_CONTACT: Statement = {
  name: 'runs-hold-contact',
  text: 'SELECT id FROM contacts WHERE id = $1 AND account_id = $2 AND channel_id = $3 FOR KEY SHARE',
};

/** Locks the contact against deletion, and returns the ID of the surviving contact if the contact was merged. */
export async function lockContact(
  client: pg.PoolClient,
  { contactId, accountId, channelId }: Pick<NewRun, 'contactId' | 'accountId' | 'channelId'>,
): Promise<string | null> {
  return await followContactMerges(client, contactId, async (currentId) => {
    const { rows } = await client.query<{ id: string }>({ ...LOCK_CONTACT, values: [currentId, accountId, channelId] });
    return rows[0]?.id ?? null;
  });
}

export interface KeywordRun {
  id: string;
  accountId: string;
  channelId: string;
  contactId: string;
  /** Trimmed by `trimKeyword`. */
  keyword: string;
  variable: { name: string; value: string };
  /** Business time. */
  now: Date;
}

const hasKeywordSql = (text: string) =>
  `keyword IS NOT NULL AND keyword_key(keyword) = keyword_key(${text}) AND is_active
      AND (NOT shares_keyword OR lower(keyword) = lower(${text}))`;

/**
 * `FOR KEY SHARE` waits for a concurrent deletion of the automation, which would otherwise make the insert fail. The
 * cooldown also counts from the end of a run, so that two automations cannot trigger each other in a loop. If older
 * automations have the keyword in another spelling, an exact match takes precedence.
 */
const START_BY_KEYWORD: Statement = {
  name: 'automations-start-by-keyword',
  text: `
INSERT INTO automation_runs (id, account_id, channel_id, automation_id, contact_id, status, steps, variables, due_at,
  started_at, alone)
SELECT $1, account_id, channel_id, id, $4, 'running', steps, jsonb_build_object($8::text, $6::text), $7, $7, true
FROM automations a
WHERE id = (
    SELECT id FROM automations WHERE account_id = $2 AND channel_id = $3 AND ${hasKeywordSql('$5')}
    ORDER BY lower(keyword) = lower($5) DESC, id LIMIT 1)
  AND is_active AND NOT EXISTS (
    SELECT FROM automation_runs r WHERE r.automation_id = a.id AND r.contact_id = $4
      AND (r.completed_at IS NULL OR r.completed_at > $7::timestamptz - a.cooldown_seconds * interval '1 second'))
FOR KEY SHARE
${SKIP_IF_RUN_ACTIVE}`,
};

export async function insertKeywordRun(client: pg.PoolClient, run: KeywordRun): Promise<void> {
  const { id, accountId, channelId, contactId, keyword, variable, now } = run;
  await client.query({
    ...START_BY_KEYWORD,
    values: [id, accountId, channelId, contactId, keyword, variable.value, now.toISOString(), variable.name],
  });
}

const HAS_KEYWORD: Statement = {
  name: 'automations-has-keyword',
  text: `SELECT FROM automations WHERE account_id = $1 AND channel_id = $2 AND ${hasKeywordSql('$3')} LIMIT 1`,
};

export async function hasKeyword(
  client: pg.PoolClient,
  { accountId, channelId }: Pick<KeywordRun, 'accountId' | 'channelId'>,
  text: string,
): Promise<boolean> {
  return (await client.query({ ...HAS_KEYWORD, values: [accountId, channelId, text] })).rowCount !== 0;
}
