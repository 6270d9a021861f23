import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { SettingValues } from '../settings.js';

export interface CarrierRow {
  name: string;
  type: string;
  settings: SettingValues;
  isActive: boolean;
}

const LOAD: Statement = {
  name: 'carriers-load',
  text: 'SELECT name, type, settings, is_active AS "isActive" FROM carriers ORDER BY name',
};

export async function loadCarriers(pool: pg.Pool): Promise<CarrierRow[]> {
  const { rows } = await pool.query<CarrierRow>(LOAD);
  return rows;
}

const FIND_TYPES: Statement = {
  name: 'carriers-find-types',
  text: 'SELECT name, type FROM carriers WHERE name = ANY($1)',
};

/** Includes disabled carriers. */
export async function loadCarrierTypes(pool: pg.Pool, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<Pick<CarrierRow, 'name' | 'type'>>({ ...FIND_TYPES, values: [names] });
  return new Map(rows.map(({ name, type }) => [name, type]));
}
