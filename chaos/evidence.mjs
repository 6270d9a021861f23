/** A run is stuck if no message or webhook finishes within this time. */
const STUCK_AFTER_MS = 180_000;

/** Returns false if messages remain unfinished or webhooks undelivered. */
export async function waitUntilSettled({ store, account }) {
  let until = Date.now() + STUCK_AFTER_MS;
  let lowest = Number.POSITIVE_INFINITY;
  for (;;) {
    const [{ waiting }] = await store.query(
      `SELECT (SELECT count(*) FROM messages
               WHERE account_id = $1 AND status IN ('queued', 'sending', 'sent'))
            + (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')
            + (SELECT count(*) FROM carrier_callbacks)
            + (SELECT count(*) FROM campaigns WHERE account_id = $1 AND status IN ('scheduled', 'running'))
            + (SELECT count(*) FROM fallbacks WHERE next_look IS NOT NULL) AS waiting`,
      [account],
    );
    if (Number(waiting) === 0) return true;
    if (Number(waiting) < lowest) {
      lowest = Number(waiting);
      until = Date.now() + STUCK_AFTER_MS;
    }
    if (Date.now() > until) return false;
    // Pending webhooks become due immediately, because the pauses between their attempts take minutes.
    await store.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id IN
         (SELECT id FROM webhook_deliveries WHERE status = 'pending' AND lease_until IS NULL FOR UPDATE SKIP LOCKED)`,
    );
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

export async function readStore({ store, account }) {
  const messages = await store.query(
    `SELECT id, recipient AS "to", kind::text AS via, status::text, parts, attempts, refunded, maybe_accepted AS "maybeAccepted", carrier, price_micros::float8 AS price,
            carrier_message_id AS "carrierMessageId", campaign_id AS "campaignId",
            (SELECT count(*) FROM message_tries t WHERE t.message_id = messages.id AND t.maybe_accepted)::int AS "lostResponses"
     FROM messages WHERE account_id = $1`,
    [account],
  );
  const ledger = await store.query(
    'SELECT kind::text, sum(amount_micros)::float8 AS amount FROM ledger_entries WHERE account_id = $1 GROUP BY kind',
    [account],
  );
  const [{ balance }] = await store.query('SELECT balance_micros::float8 AS balance FROM accounts WHERE id = $1', [
    account,
  ]);
  const inbound = await store.query(
    'SELECT carrier_message_id AS id, count(*)::int AS count FROM inbound_messages WHERE account_id = $1 GROUP BY 1',
    [account],
  );
  return {
    messages,
    ledger: Object.fromEntries(ledger.map(({ kind, amount }) => [kind, amount])),
    balance,
    inbound: Object.fromEntries(inbound.map(({ id, count }) => [id, count])),
  };
}
