import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { SettingValues } from '../../settings.js';

const FIND_SETTINGS: Statement = {
  name: 'http-carriers-settings',
  text: 'SELECT name, settings FROM carriers WHERE name = ANY($1)',
};

/** Includes disabled carriers. */
export async function findSettings(
  pool: pg.Pool,
  names: readonly string[],
): Promise<ReadonlyMap<string, SettingValues>> {
  const { rows } = await pool.query<{ name: string; settings: SettingValues }>({ ...FIND_SETTINGS, values: [names] });
  return new Map(rows.map(({ name, settings }) => [name, settings]));
}
