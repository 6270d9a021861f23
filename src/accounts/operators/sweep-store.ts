import { type Deletion, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

const DELETE_SESSIONS = `
DELETE FROM operator_sessions WHERE id IN (SELECT id FROM operator_sessions WHERE expires_at <= $2 LIMIT $1)`;

const DELETE_LINKS = `
DELETE FROM sign_in_links WHERE id IN (SELECT id FROM sign_in_links WHERE expires_at <= $2 LIMIT $1)`;

const DELETE_OIDC_SIGN_INS = `
DELETE FROM oidc_sign_ins WHERE id IN (SELECT id FROM oidc_sign_ins WHERE expires_at <= $2 LIMIT $1)`;

const DELETE_ATTEMPTS = `
DELETE FROM sign_in_attempts WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM sign_in_attempts WHERE ends_at <= $2 LIMIT $1))`;

export async function deleteExpiredSignIns(options: SweepOptions): Promise<void> {
  const values = [options.now.toISOString()];
  const texts = [DELETE_SESSIONS, DELETE_LINKS, DELETE_OIDC_SIGN_INS, DELETE_ATTEMPTS];
  const deletions: Deletion[] = texts.map((text) => ({ text, values }));
  await deleteInSteps(options, deletions);
}
