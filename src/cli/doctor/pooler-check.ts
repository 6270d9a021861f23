import { expectSameDatabase } from '../../platform/store/reaching/pooler.js';
import type { Config } from '../../process/settings/config.js';
import { explainDeep } from '../explain.js';
import { error, type Finding, ok } from './finding.js';

/** Whether the pooler of DATABASE_URL answers, where DATABASE_DIRECT_URL leads past one, and leads to the same database. */
export async function checkPooler({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>): Promise<Finding[]> {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return [];
  try {
    await expectSameDatabase(
      { setting: 'DATABASE_URL', url: databaseUrl },
      { setting: 'DATABASE_DIRECT_URL', url: databaseDirectUrl },
    );
    return [ok('store.pooler', 'The pooler of DATABASE_URL answers, and leads to the same database.')];
  } catch (problem) {
    const advice =
      'No request is accepted meanwhile. DATABASE_URL is asked for all but migrations, LISTEN and the queue.';
    return [error('store.pooler', `${explainDeep(problem)}`, advice)];
  }
}
