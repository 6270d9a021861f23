import type pg from 'pg';
import type { Statement } from '../platform/store/connections/pool.js';
import { type RateCardPrices, type RateKind, toPrices } from './rates.js';

const READ: Statement = {
  name: 'rates-read-card',
  text: `
SELECT c.currency, r.kind, r.calling_code AS "callingCode", r.price_micros AS "priceMicros"
FROM rate_cards c LEFT JOIN rates r ON r.rate_card_id = c.id WHERE c.id = $1`,
};

interface Row {
  currency: string;
  kind: RateKind | null;
  callingCode: string;
  priceMicros: string;
}

export async function readRateCard(client: pg.PoolClient, rateCardId: string): Promise<RateCardPrices> {
  const { rows } = await client.query<Row>({ ...READ, values: [rateCardId] });
  if (!rows[0]) throw new Error(`there is no rate card ${rateCardId}`);
  const rates = rows.flatMap(({ kind, callingCode, priceMicros }) =>
    kind === null ? [] : [{ kind, callingCode, priceMicros: BigInt(priceMicros) }],
  );
  return toPrices({ id: rateCardId, currency: rows[0].currency, rates });
}
