import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { type CampaignContent, toContentRow } from './message/content.js';

import type { CampaignVariant, VariantTest } from './variants/variants.js';

interface CampaignRow {
  id: string;
  accountId: string;
  channelId: string;
  name: string;
  content: CampaignContent;
  variables: Readonly<Record<string, string>> | null;
  shortenLinks: boolean;
  groupId: string | null;
  groupIds: readonly string[];
  audienceIds: readonly string[];
  listedCount: number;
  scheduledAt: Date | null;
  createdAt: Date;
  variants: readonly CampaignVariant[] | null;
  test: VariantTest | null;
}

const INSERT: Statement = {
  name: 'campaigns-insert',
  text: `INSERT INTO campaigns (id, account_id, channel_id, name, status, template_name, language, components, group_id,
           scheduled_at, created_at, variables, text, opt_out_line, variants, test, shorten_links,
           group_ids, audience_ids, listed_count, gathering)
         VALUES ($1, $2, $3, $4, 'scheduled', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
           CASE WHEN $8::uuid IS NULL THEN 'groups' END)`,
};

export async function insertCampaign(client: pg.PoolClient, row: CampaignRow): Promise<void> {
  const { templateName, language, components, text, optOutLine } = toContentRow(row.content);
  await client.query({
    ...INSERT,
    values: [
      row.id,
      row.accountId,
      row.channelId,
      row.name,
      templateName,
      language,
      JSON.stringify(components),
      row.groupId,
      row.scheduledAt?.toISOString() ?? null,
      row.createdAt.toISOString(),
      row.variables && JSON.stringify(row.variables),
      text,
      optOutLine,
      row.variants && JSON.stringify(row.variants),
      row.test && JSON.stringify(row.test),
      row.shortenLinks,
      row.groupIds,
      row.audienceIds,
      row.listedCount,
    ],
  });
}
