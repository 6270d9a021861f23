export function portfolioSql(channel: string): string {
  return `coalesce((SELECT cr.settings ->> 'portfolioId' FROM channels ch JOIN carriers cr ON cr.name = ch.carrier
    WHERE ch.id = ${channel}), '')`;
}

/** All parameters are SQL expressions. A contact's main number takes precedence over further numbers. */
export function contactIdSql(channel: string, phone: string, account?: string): string {
  const inAccount = account === undefined ? '' : ` AND h.account_id = ${account}`;
  return `coalesce((SELECT h.id FROM contacts h WHERE h.channel_id = ${channel} AND h.phone = ${phone}${inAccount}),
    (SELECT h.contact_id FROM contact_identities h WHERE h.channel_id = ${channel} AND h.portfolio = '' AND h.user_id = ${phone}))`;
}

/** IDs that were stored before a portfolio was set match every portfolio. */
export function inPortfolioSql(channel: string): string {
  return `portfolio IN ('', ${portfolioSql(channel)})`;
}
