import { requireSameDatabase } from '../../platform/store/connections/pooler.js';
import type { Config } from '../../process/settings/config.js';
import { explainWithCauses } from '../explain.js';
import { error, type Finding, ok } from './finding.js';

export async function checkPooler({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>): Promise<Finding[]> {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return [];
  try {
    await requireSameDatabase(
      { setting: 'DATABASE_URL', url: databaseUrl },
      { setting: 'DATABASE_DIRECT_URL', url: databaseDirectUrl },
    );
    return [ok('store.pooler', 'The pooler of DATABASE_URL responds and uses the same database.')];
  } catch (problem) {
    const advice =
      'Requests are rejected until this is fixed. Everything except migrations, LISTEN and the queue uses DATABASE_URL.';
    return [error('store.pooler', `${explainWithCauses(problem)}`, advice)];
  }
}
