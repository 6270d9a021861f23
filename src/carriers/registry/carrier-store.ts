import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';
import type { SettingValues } from '../setup/settings.js';

/** Milliseconds after which every process obeys a change of carriers and routes. */
export const RELOAD_EVERY_MS = 2_000;

/** A carrier as an operator has set it up. */
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

/** All carriers that are set up; a handful of rows. */
export async function loadCarriers(pool: pg.Pool): Promise<CarrierRow[]> {
  const { rows } = await pool.query<CarrierRow>(LOAD);
  return rows;
}
