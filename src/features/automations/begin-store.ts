import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { asSurvivor } from '../contacts/identity/survivor-store.js';

/** A run that is to begin. */
export interface NewRun {
  id: string;
  accountId: string;
  channelId: string;
  automationId: string;
  contactId: string;
  variables: Readonly<Record<string, string>>;
  /** It may begin while another run of the automation for the contact is under way. */
  concurrent: boolean;
  /** Business time: it is due at once. */
  now: Date;
}

/** The part of a statement that inserts no run where another of the automation for the contact is under way. */
export const UNLESS_UNDER_WAY =
  'ON CONFLICT (automation_id, contact_id) WHERE alone AND completed_at IS NULL DO NOTHING';

/** The caller holds the contact. The lock waits for a deletion of the automation, which then is not there. */
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
${UNLESS_UNDER_WAY}`,
};

/**
 * @returns whether the run was inserted: not when the channel has no such automation, or another run of it for the contact is
 * under way
 */
export async function insertRun(client: pg.PoolClient, run: NewRun): Promise<boolean> {
  const { id, accountId, channelId, automationId, contactId, variables, concurrent, now } = run;
  const given = JSON.stringify(variables);
  const values = [id, automationId, accountId, channelId, contactId, given, now.toISOString(), concurrent];
  const { rowCount } = await client.query({ ...INSERT, values });
  return rowCount === 1;
}

const HOLD_CONTACT: Statement = {
  name: 'runs-hold-contact',
  text: 'SELECT id FROM contacts WHERE id = $1 AND account_id = $2 AND channel_id = $3 FOR KEY SHARE',
};

/**
 * Keeps a contact, or the one that it has become part of, from being deleted until the transaction ends.
 * @returns its id; null when the channel has no such contact
 */
export async function holdContact(
  client: pg.PoolClient,
  { contactId, accountId, channelId }: Pick<NewRun, 'contactId' | 'accountId' | 'channelId'>,
): Promise<string | null> {
  return await asSurvivor(client, contactId, async (asked) => {
    const { rows } = await client.query<{ id: string }>({ ...HOLD_CONTACT, values: [asked, accountId, channelId] });
    return rows[0]?.id ?? null;
  });
}

/** A run that begins if an automation of the channel has the keyword. */
export interface KeywordRun {
  id: string;
  accountId: string;
  channelId: string;
  contactId: string;
  /** As `keywordOf` gives it. */
  keyword: string;
  /** The one variable of the run. */
  variable: { name: string; value: string };
  /** Business time: the run is due at once. */
  now: Date;
}

/**
 * The lock waits for a deletion of the automation, which then is not there, rather than failing with it. A run counts for the
 * cooldown after its end, however long it waited in between: what answers a keyword with a keyword goes no circle with it.
 * Of two automations that share a keyword from before spellings were compared, the one with the very spelling begins.
 */
const START_BY_KEYWORD: Statement = {
  name: 'automations-start-by-keyword',
  text: `
INSERT INTO automation_runs (id, account_id, channel_id, automation_id, contact_id, status, steps, variables, due_at,
  started_at, alone)
SELECT $1, account_id, channel_id, id, $4, 'running', steps, jsonb_build_object($8::text, $6::text), $7, $7, true
FROM automations a
WHERE id = (
    SELECT id FROM automations
    WHERE account_id = $2 AND channel_id = $3 AND keyword IS NOT NULL AND keyword_key(keyword) = keyword_key($5)
      AND is_active AND (NOT shares_keyword OR lower(keyword) = lower($5))
    ORDER BY lower(keyword) = lower($5) DESC, id LIMIT 1)
  AND is_active AND NOT EXISTS (
    SELECT FROM automation_runs r WHERE r.automation_id = a.id AND r.contact_id = $4
      AND (r.completed_at IS NULL OR r.completed_at > $7::timestamptz - a.cooldown_seconds * interval '1 second'))
FOR KEY SHARE
${UNLESS_UNDER_WAY}`,
};

/**
 * Starts the automation of the channel that has the keyword, if there is one, it is not switched off, and no run of it for
 * the contact is under way or ended within its cooldown.
 */
export async function startByKeyword(client: pg.PoolClient, run: KeywordRun): Promise<void> {
  const { id, accountId, channelId, contactId, keyword, variable, now } = run;
  await client.query({
    ...START_BY_KEYWORD,
    values: [id, accountId, channelId, contactId, keyword, variable.value, now.toISOString(), variable.name],
  });
}
